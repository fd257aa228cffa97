// Everything there is to see, with small pictures.
import { getItems, pause, thumbnailOf } from "./feed.js";

const STATES = { scene: () => "scene", frame: () => "one frame", running: (item) => `running, ${item.frames} of ${item.frames_in_all} frames`,
  finished: (item) => `${item.frames} frames`, stopped: (item) => `stopped at ${item.frames} of ${item.frames_in_all ?? "?"} frames` };

function card(item) {
  const link = document.createElement("a");
  link.href = `#${new URLSearchParams({ item: item.name })}`;
  const picture = document.createElement("img");
  picture.loading = "lazy";
  picture.alt = "";
  link.className = "waiting"; // until the picture is drawn
  picture.onload = () => link.classList.remove("waiting");
  picture.onerror = () => { // "what is wrong with it" is shown by the scene itself
    link.classList.replace("waiting", "pictureless");
  };
  picture.src = thumbnailOf(item);
  const text = document.createElement("div"), title = document.createElement("strong"), about = document.createElement("span");
  title.textContent = item.title;
  about.textContent = `${item.name} · ${STATES[item.state](item)}`;
  text.append(title, about);
  link.append(picture, text);
  return link;
}

/** Shows the list and keeps it fresh until the returned function is called. */
export function showGallery() {
  let isOver = false, listed = "";
  (async () => {
    while (!isOver) {
      try {
        const { items, version } = await getItems();
        const now = JSON.stringify(items);
        if (now !== listed && !isOver) {
          document.getElementById("version").textContent = version;
          document.getElementById("cards").replaceChildren(...items.map(card));
          listed = now;
        }
      } catch { /* the server is away: what is shown stays */ }
      await pause(3);
    }
  })();
  return () => (isOver = true);
}
