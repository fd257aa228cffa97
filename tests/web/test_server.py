"""The server of `continua view`: what it answers, and what it must not, however it is asked."""

import atexit
import gzip
import http.client
import json
import os
import resource
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from support import SOURCE, Case, main, read_text, read_vtu, scene_text  # noqa: E402

HAS_VIEW = os.environ.get("CT_HAS_VIEW", "ON").upper() in ("ON", "TRUE", "1", "YES")


class Server:
    """A viewer that is up, and its address."""

    def __init__(self, case, *arguments):
        self.process = case.start("view", "--port", "0", *arguments)
        self.url = self.process.stdout.readline().strip()
        case.assertRegex(self.url, r"^http://127\.0\.0\.1:\d+/$")
        self.host = urllib.parse.urlsplit(self.url).netloc
        self.port = int(self.host.rsplit(":", 1)[1])

    def ask(self, path, method="GET", headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body=body, headers=headers or {})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response, content

    def api(self, name, **parameters):
        response, content = self.ask("/api/%s?%s" % (name, urllib.parse.urlencode(parameters)))
        assert response.status == 200, (response.status, content)
        return content

    def raw(self, data, timeout=10):
        """Sends bytes as they are; what comes back until the other side closes."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            try:
                connection.sendall(data)
                while len(answer) < 1 << 20:
                    piece = connection.recv(65536)
                    if not piece:
                        break
                    answer += piece
            except OSError:
                pass
        return answer

    def is_well(self):
        response, content = self.ask("/api/items")
        return response.status == 200 and json.loads(content)["items"] != []


def decode(content):
    """Header, positions in metres, values, bodies (src/view/encode.h)."""
    assert content[:4] == b"CTV1"
    length, = struct.unpack_from("<I", content, 4)
    header = json.loads(content[8:8 + length])
    n, place = header["shown"], 8 + length
    steps = struct.unpack_from("<%dH" % (3 * n), content, place)
    place += (6 * n + 3) // 4 * 4
    low, high = header["min"], header["max"]
    positions = [low[k % 3] + (high[k % 3] - low[k % 3]) * step / 65535 for k, step in enumerate(steps)]
    values = None
    if "field" in header:
        a, b = header["range"]
        values = [a + (b - a) * step / 65535 for step in struct.unpack_from("<%dH" % n, content, place)]
        place += (2 * n + 3) // 4 * 4
    bodies = content[place:place + n]
    place += (n + 3) // 4 * 4 + 12 * header["triangles"] + 8 * header["lines"]
    assert place == len(content)
    return header, positions, values, bodies


def make_crowd(port):
    """A thousand connections, as far as they come about."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 1200), hard if hard > 0 else 1200), hard))
    crowd = [socket.socket() for _ in range(1000)]
    for connection in crowd:
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", port))
    return crowd


@unittest.skipIf(HAS_VIEW, "the viewer is built")
class Absent(Case):
    def test_says_what_is_missing(self):
        self.fail_with(1, "view", ".", says="built without the viewer, which needs")
        self.fail_with(1, "run", self.scene(), "--view", says="built without the viewer, which needs")
        self.assertFalse(os.path.exists(self.path("out")))


class Viewing(Case):
    kept = None

    def setUp(self):
        if not HAS_VIEW:
            self.skipTest("the viewer is not built")
        super().setUp()
        if not Viewing.kept:  # one run for all tests: each gets a copy
            Viewing.kept = tempfile.mkdtemp(prefix="continua-test-")
            atexit.register(shutil.rmtree, Viewing.kept, ignore_errors=True)
            self.succeed("run", self.scene(), "-o", os.path.join(Viewing.kept, "drop"), "-q")
        shutil.copytree(os.path.join(Viewing.kept, "drop"), self.path("drop"))


    def start_live(self, scene):
        """A run with its viewer: the process, and the port of the page."""
        process = self.start("run", scene, "-o", "live", "--view", "--log", "json")
        event = {"event": ""}
        while event["event"] != "view":
            event = json.loads(process.stdout.readline())
        return process, urllib.parse.urlsplit(event["url"]).port


class Answers(Viewing):
    def test_page_is_whole_and_asks_nobody_else(self):
        server = Server(self, "drop")
        for path, kind in [("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css"), ("/icon.svg", "image/svg+xml")]:
            response, content = server.ask(path)
            self.assertEqual(response.status, 200, path)
            self.assertTrue(response.headers["Content-Type"].startswith(kind))
            self.assertIn("default-src 'none'", response.headers["Content-Security-Policy"])
            self.assertEqual(response.headers["X-Content-Type-Options"], "nosniff")
            text = gzip.decompress(content).decode()
            self.assertGreater(len(text), 100)
            if path in ("/", "/page.css"):
                self.assertNotIn("//", text.replace("http://www.w3.org", ""), "the page names another host")
        response, content = server.ask("/", method="HEAD")
        self.assertEqual((response.status, content), (200, b""))

    def test_state(self):
        server = Server(self, "drop")
        items = json.loads(server.api("items"))["items"]
        self.assertEqual([(item["name"], item["state"], item["frames"]) for item in items], [("drop", "finished", 26)])
        state = json.loads(server.api("state", item="drop"))
        self.assertEqual(state["numbers"], list(range(26)))
        self.assertEqual(state["times"][5], 5 * 0.02)
        self.assertEqual([body["name"] for body in state["bodies"]], ["ball"])
        self.assertEqual(state["domain"][1][:2], [1, 1])
        later = json.loads(server.api("state", item="drop", **{"from": 20}))
        self.assertEqual((later["from"], later["numbers"]), (20, list(range(20, 26))))

    def test_frames_are_those_of_the_run(self):
        server = Server(self, "drop")
        for number in (0, 13, 25):
            points, arrays = read_vtu(self.path("drop", "frames", "frame_%06d.vtu" % number))
            header, positions, values, bodies = decode(server.api("frame", item="drop", frame=number, field="speed"))
            self.assertEqual((header["count"], header["shown"], header["frame"]), (points, points, number))
            half = [max(0.5001 * (high - low) / 65535, 1e-12) for low, high in zip(header["min"], header["max"])]
            self.assertTrue(all(abs(positions[k] - arrays["Points"][k]) <= half[k % 3] for k in range(3 * points)))
            speed = [sum(arrays["velocity"][3 * p + a] ** 2 for a in range(3)) ** 0.5 for p in range(points)]
            step = (header["range"][1] - header["range"][0]) / 65535
            self.assertTrue(all(abs(values[p] - speed[p]) <= 0.51 * step + 1e-12 for p in range(points)))
            self.assertEqual(set(bodies), {0})

    def test_stats_are_those_of_the_run(self):
        server = Server(self, "drop")
        content = server.api("stats", item="drop")
        self.assertEqual(content.decode(), read_text(self.path("drop", "stats.csv")))
        response, rest = server.ask("/api/stats?item=drop&from=%d" % len(content))
        self.assertEqual((rest, response.headers["X-Next"]), (b"", str(len(content))))
        half = content.index(b"\n") + 1
        self.assertEqual(server.api("stats", item="drop", **{"from": half}), content[half:])
        self.assertEqual(server.api("stats", item="drop", **{"from": 10 ** 9}), content)  # the file was cut

    def test_thinned(self):
        self.succeed("run", self.scene(per_cell=16), "-o", "many", "-q", "--frames", "0")
        server = Server(self, "many", "--points", "1000")
        header, _, _, _ = decode(server.api("frame", item="many", frame=0))
        self.assertGreater(header["count"], 4000)
        self.assertLess(abs(header["shown"] - 1000), 5)

    def test_other_formats_frames_and_scenes(self):
        self.succeed("run", self.scene(formats="[csv]"), "-o", "text", "-q", "--frames", "1")
        one = os.path.join("drop", "frames", "frame_000003.vtu")
        scenes = os.path.join(SOURCE, "examples")
        server = Server(self, "text", one, scenes)
        states = {item["name"]: item["state"] for item in json.loads(server.api("items"))["items"]}
        self.assertEqual(states.pop("text"), "stopped")
        self.assertEqual(states.pop(one), "frame")
        self.assertEqual(set(states.values()), {"scene"})
        self.assertGreaterEqual(len(states), 7)
        self.assertEqual(decode(server.api("frame", item="text", frame=1))[0]["frame"], 1)
        self.assertAlmostEqual(decode(server.api("frame", item=one))[0]["time"], 0.06)
        tilt = os.path.join(scenes, "tilt")
        self.assertGreater(decode(server.api("frame", item=tilt))[0]["count"], 1000)
        for item in ("text", tilt):
            self.assertEqual(server.api("thumbnail", item=item)[:8], b"\x89PNG\r\n\x1a\n")

    def test_sheets_of_a_scene(self):
        self.write("cloth.yaml", "name: cloth\nmethod: peridynamics\ntime: {end: 1}\ngrid: {spacing: 0.1}\n"
                   "materials: {fabric: {type: elastic, density: 300, young: 1e5, poisson: 0.25}}\n"
                   "bodies:\n  cloth: {material: fabric, shape: {type: sheet, corner: [0, 1, 0], edges: [[1, 0, 0], [0, 0, 1]]}}\n"
                   "  rod: {material: fabric, shape: {type: polyline, points: [[2, 1, 0], [2, 1, 1]]}}\n")
        server = Server(self, "cloth.yaml")
        header, positions, _, bodies = decode(server.api("frame", item="cloth.yaml"))
        self.assertEqual((header["loose"], header["shown"]), (0, header["count"]))
        self.assertEqual(header["triangles"], 200)  # 10 x 10 squares
        self.assertEqual(header["lines"], 10)
        self.assertEqual(set(bodies), {0, 1})
        self.assertAlmostEqual(max(positions[0::3]), 2, places=5)

    def test_colliders_are_where_the_scene_says(self):
        self.write("moving.yaml", scene_text(dimension=3, spacing=0.05) +
                   "colliders:\n  ball: {shape: {type: sphere, center: [0.3, 0.2, 0.5], radius: 0.1}, motion: {velocity: [1, 0, 0]}}\n"
                   "  floor: {shape: {type: box, min: [0, 0, 0], max: [1, 0.05, 1]}}\n")
        server = Server(self, "moving.yaml")
        colliders = json.loads(server.api("state", item="moving.yaml"))["colliders"]
        self.assertEqual([(one["name"], one["moves"]) for one in colliders], [("ball", True), ("floor", False)])
        for frame in (0, 10):
            content = server.api("colliders", item="moving.yaml", frame=frame)
            self.assertEqual(content[:4], b"CTS1")
            length, = struct.unpack_from("<I", content, 4)
            ball, floor = json.loads(content[8:8 + length])["surfaces"]
            n, m = ball["vertices"], ball["elements"]
            self.assertEqual(8 + length + 12 * (n + m) + 12 * (floor["vertices"] + floor["elements"]), len(content))
            numbers = struct.unpack_from("<%df" % (3 * n), content, 8 + length)
            corners = struct.unpack_from("<%dI" % (3 * m), content, 8 + length + 12 * n)
            self.assertEqual(max(corners), n - 1)
            center = (0.3 + 0.02 * frame, 0.2, 0.5)
            radii = [sum((numbers[3 * v + a] - center[a]) ** 2 for a in range(3)) ** 0.5 for v in range(n)]
            # a vertex lies on the chord of an edge of a cell: off by its sagitta, which is far below a hundredth of r
            self.assertTrue(n > 100 and all(abs(radius - 0.1) < 0.001 for radius in radii), frame)

    def test_a_broken_scene_is_named(self):
        self.write("bad.yaml", "time: {end: 1 s, frame: 1 kg}\n")
        server = Server(self, "bad.yaml")
        response, content = server.ask("/api/state?item=bad.yaml")
        self.assertEqual(response.status, 500)
        self.assertIn(b"bad.yaml:1:", content)
        self.assertTrue(server.is_well())

    def test_usage(self):
        self.fail_with(5, "view", "nowhere", says="nowhere")
        self.fail_with(5, "view", ".", "nowhere", says="nowhere")
        os.mkdir(self.path("empty"))
        self.fail_with(5, "view", "empty", says="neither a run nor a scene")
        server = Server(self, "drop")
        self.fail_with(5, "view", "drop", "--port", str(server.port), says="is it in use?")
        server.process.send_signal(signal.SIGINT)
        self.assertEqual(server.process.wait(10), 0)


class Live(Viewing):
    def test_follows_a_run(self):
        hash_alone = self.hash_of("run", self.scene(per_cell=25, end=0.3), "-o", "alone", "-q")
        process, port = self.start_live("scene.yaml")
        counts, seen, state = [], "", {}
        while state.get("state") != "finished":
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            try:
                connection.request("GET", "/api/state?" + urllib.parse.urlencode(dict(item="live", seen=seen)))
                state = json.loads(connection.getresponse().read())
            except OSError:
                break  # it ends with the run, as this is no terminal
            counts.append(state["frames"])
            seen = state["signature"]
            self.assertIn(state["state"], ("running", "finished"))
        self.assertGreater(len(set(counts)), 3, "the frames did not appear one by one")
        self.assertEqual(counts, sorted(counts))
        lines = process.stdout.read().splitlines()
        self.assertEqual(process.wait(30), 0)
        self.assertEqual(json.loads(lines[-1])["state_hash"], hash_alone)
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=2)

    def test_ends_with_a_run_that_is_killed(self):
        process, port = self.start_live(self.scene(per_cell=100, end=50))
        process.kill()
        process.wait()
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                return
            time.sleep(0.1)
        self.fail("the viewer outlives its run")

    def test_waits_for_news_and_no_longer(self):
        server = Server(self, "drop")
        state = json.loads(server.api("state", item="drop"))
        begin = time.monotonic()
        server.api("state", item="drop", seen="something else")
        self.assertLess(time.monotonic() - begin, 3)
        begin = time.monotonic()
        server.api("state", item="drop", seen=state["signature"])
        self.assertTrue(8 < time.monotonic() - begin < 19)


class Attacks(Viewing):
    def test_no_path_leads_outside(self):
        self.write("secret.txt", "the secret")
        server = Server(self, "drop")
        ways = ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "//secret.txt", "/drop/../secret.txt", "/..\\secret.txt",
                "/secret.txt", "/drop/used.yaml", "/used.yaml", "/api/../secret.txt", "/page.js/../../secret.txt", "/etc/passwd",
                "//etc/passwd", "/%00", "/page.js%00", "/.%00./secret.txt", "file:///etc/passwd", "/api", "/api/", "/API/items", "*", "/cgi-bin/x"]
        for way in ways:
            answer = server.raw(("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (way, server.host)).encode())
            self.assertNotIn(b"the secret", answer, way)
            self.assertNotIn(b"root:", answer, way)
            self.assertNotIn(b" 200 ", answer.split(b"\r\n")[0], way)
        for name in ["../secret.txt", "/etc/passwd", "drop/../drop", "drop/", "./drop", "..", "", "drop\0", "drop/frames"]:
            for question in ("state", "frame", "stats", "thumbnail"):
                response, content = server.ask("/api/%s?%s" % (question, urllib.parse.urlencode(dict(item=name))))
                self.assertEqual(response.status, 404, (question, name, content))
        for number in ["-1", "99999999999999999999", "1e3", "../../x", "26"]:
            response, content = server.ask("/api/frame?item=drop&" + urllib.parse.urlencode(dict(frame=number)))
            self.assertIn(response.status, (200, 500), number)  # a number, or no frame: never a path
            self.assertNotIn(b"secret", content)
        self.assertTrue(server.is_well())

    def test_other_pages_are_refused(self):
        server = Server(self, "drop")
        ours = "http://" + server.host
        for headers, status in [({"Origin": ours}, 200), ({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403),
                                ({"Host": "evil.example"}, 421), ({"Host": "evil.example:%d" % server.port}, 421),
                                ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-origin"}, 200)]:
            for path in ("/api/items", "/page.js"):
                response, content = server.ask(path, headers=headers)
                self.assertEqual(response.status, status, headers)
                self.assertIsNone(response.headers.get("Access-Control-Allow-Origin"))
                if status != 200:
                    self.assertLess(len(content), 100)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "TRACE", "CONNECT", "MKCOL"):
            answer = server.raw(("%s /api/items HTTP/1.1\r\nHost: %s\r\n\r\n" % (method, server.host)).encode())
            self.assertRegex(answer.split(b"\r\n")[0], rb"HTTP/1.1 (405|4\d\d|501) ", method)
        upgrade = ("GET /api/items HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n" % server.host).encode()
        self.assertNotIn(b" 101 ", server.raw(upgrade).split(b"\r\n")[0])
        self.assertTrue(server.is_well())

    def test_pictures_of_scenes_are_in_nobodys_way(self):
        """Small pictures are drawn once, and a scene that is clicked does not wait for those of the others."""
        names = [self.write("scene%d.yaml" % k, scene_text(dimension=3, spacing=0.01, per_cell=8)) for k in range(3)]
        server = Server(self, *names)
        items = json.loads(server.api("items"))["items"]
        begin = time.monotonic()
        first = server.api("thumbnail", item=items[0]["name"])
        took = time.monotonic() - begin
        begin = time.monotonic()
        self.assertEqual(first, server.api("thumbnail", item=items[0]["name"]))
        self.assertLess(time.monotonic() - begin, max(0.3 * took, 0.1))

    def test_giant_and_truncated_requests(self):
        server = Server(self, "drop")
        host = ("Host: %s\r\n" % server.host).encode()
        requests = [b"GET /" + b"a" * 1000000 + b" HTTP/1.1\r\n" + host + b"\r\n",
                    b"GET / HTTP/1.1\r\n" + host + b"X: " + b"a" * 1000000 + b"\r\n\r\n",
                    b"GET / HTTP/1.1\r\n" + host + b"X: y\r\n" * 100000 + b"\r\n",
                    b"POST /api/items HTTP/1.1\r\n" + host + b"Content-Length: 99999999999\r\n\r\n" + b"x" * 1000000,
                    b"GET /api/items HTTP/1.1\r\n" + host + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1000000,
                    b"GET /api/items HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n",
                    b"GET /api/items HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) * 4, b"\0" * 100000, b"GET\r\n\r\n", b"\r\n" * 10000,
                    b"GET /api/state?item=" + b"%" * 5000 + b" HTTP/1.1\r\n" + host + b"\r\n",
                    b"GET /api/state?" + b"item=drop&" * 600 + b" HTTP/1.1\r\n" + host + b"\r\n"]
        for request in requests:
            answer = server.raw(request)
            first = answer.split(b"\r\n")[0]
            self.assertTrue(not answer or b" 200 " not in first or request is requests[-1], (request[:60], first))
            self.assertTrue(server.is_well(), request[:60])
        whole = b"GET /api/items HTTP/1.1\r\n" + host + b"\r\n"
        for length in range(0, len(whole), 7):  # cut anywhere, and gone
            with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
                connection.sendall(whole[:length])
        self.assertTrue(server.is_well())

    def test_giant_and_truncated_frames(self):
        server = Server(self, "drop")
        frames = self.path("drop", "frames")
        with open(os.path.join(frames, "frame_000004.vtu"), "rb") as file:
            whole = file.read()
        for number, content in enumerate([b"", whole[:100], whole[:len(whole) // 2], whole[:-30], b"\0" * 1000,
                                          whole.replace(b'NumberOfPoints="', b'NumberOfPoints="99999999')]):
            with open(os.path.join(frames, "frame_%06d.vtu" % (100 + number)), "wb") as file:
                file.write(content)
            response, text = server.ask("/api/frame?item=drop&frame=%d" % (100 + number))
            self.assertEqual(response.status, 500, number)
            self.assertIn(b"frame_%06d.vtu" % (100 + number), text)
        with open(os.path.join(frames, "frame_000200.vtu"), "wb") as file:
            file.truncate(5 << 30)  # takes no room on the disk
        response, text = server.ask("/api/frame?item=drop&frame=200")
        self.assertEqual(response.status, 500)
        self.assertIn(b"too large", text)
        os.symlink("/etc/passwd", os.path.join(frames, "frame_000201.csv"))
        response, text = server.ask("/api/frame?item=drop&frame=201")
        self.assertEqual(response.status, 500)
        self.assertNotIn(b"/bin/", text)
        self.assertEqual(decode(server.api("frame", item="drop", frame=4))[0]["frame"], 4)

    def test_a_thousand_connections_do_not_touch_the_run(self):
        hash_alone = self.hash_of("run", self.scene(per_cell=25, end=0.3), "-o", "alone", "-q")
        process, port = self.start_live("scene.yaml")
        request = ("GET /api/frame?item=live&frame=0 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port).encode()
        crowd = make_crowd(port)
        for k, connection in enumerate(crowd):  # a third say nothing, a third half, a third do not read the answer
            try:
                connection.send((b"", request[:20], request)[k % 3])
            except OSError:
                pass
        lines = process.stdout.read().splitlines()  # to its end
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(json.loads(lines[-1])["state_hash"], hash_alone)
        for connection in crowd:
            connection.close()
        self.check_run("live", 16)

    def test_is_there_again_after_a_thousand_connections(self):
        server = Server(self, "drop")
        crowd = make_crowd(server.port)
        time.sleep(1)
        for connection in crowd:
            connection.close()
        begin = time.monotonic()
        self.assertTrue(server.is_well())
        self.assertLess(time.monotonic() - begin, 10)
        threads = len(os.listdir("/proc/%d/task" % server.process.pid))
        self.assertLess(threads, 300, "a thread a connection")

    def test_stalled_connections_are_in_nobodys_way(self):
        server = Server(self, "drop")
        stalled = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(246)]
        for k, connection in enumerate(stalled):
            connection.send((b"", b"GET /api/items HTTP/1.1\r\nHost:")[k % 2])
        time.sleep(0.3)
        begin = time.monotonic()
        self.assertTrue(server.is_well())
        self.assertLess(time.monotonic() - begin, 3)
        time.sleep(5)  # longer than a connection may be silent
        for connection in stalled:
            self.assertIn(connection.recv(100)[:9], (b"", b"HTTP/1.0 ", b"HTTP/1.1 "), "it is still open")
            connection.close()


if __name__ == "__main__":
    main()
