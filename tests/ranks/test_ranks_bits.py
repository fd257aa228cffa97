"""The bits of a scene do not depend on the number of ranks, nor on that of threads: the state, and the rows of the tables."""

from ranks import SCENES, Ranks
from support import main, read_text


class Bits(Ranks):
    def table(self, folder, name):
        try:
            return read_text(self.path(folder, name))
        except FileNotFoundError:
            return None

    def test_scenes(self):
        for name, text in SCENES.items():
            with self.subTest(name):
                scene = self.write("scene.yaml", text)
                one = self.compute(0, "run", scene, "-o", "one", "--force")
                for ranks, threads in ((1, 1), (2, 2), (3, 1), (4, 1)):
                    several = self.compute(ranks, "run", scene, "-o", "several", "--force", threads=threads)
                    self.assertEqual(several, one, f"{ranks} ranks x {threads} threads")
                    for table in ("stats.csv", "colliders.csv"):
                        self.assertEqual(self.table("several", table), self.table("one", table),
                                         f"{table}, {ranks} ranks x {threads} threads")

    def test_control(self):
        """The hash sees what the scene does."""
        text = SCENES["rubber in 3D"]
        one = self.compute(2, "run", self.write("scene.yaml", text), "-o", "one")
        other = self.compute(2, "run", self.write("other.yaml", text.replace("[1, -2, 0.5]", "[1, -2, 0.5000001]")), "-o", "other")
        self.assertNotEqual(one, other)


if __name__ == "__main__":
    main()
