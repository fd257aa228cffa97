// The keyboard: one list, which is also the help.

export function listen(actions) {
  const list = [
    [[" "], "space", "play or pause", () => actions.player.toggle()],
    [["ArrowLeft", "ArrowRight"], "← →", "one frame back or on; with shift, ten", (event) => actions.player.step((event.key === "ArrowLeft" ? -1 : 1) * (event.shiftKey ? 10 : 1))],
    [["Home", "End"], "Home End", "first or last frame", (event) => actions.player.seek(event.key === "Home" ? 0 : Infinity)],
    [["l"], "L", "follow a run that is going on", () => actions.player.followRun(!actions.player.isFollowing)],
    [["c"], "C", "colour by the next quantity", () => actions.panel.nextColor()],
    [["+", "=", "-"], "+ −", "larger or smaller points", (event) => actions.panel.resize(event.key === "-" ? -1 : 1)],
    [["r"], "R", "the first view again", () => actions.stage.resetView()],
    [["x", "y", "z"], "X Y Z", "look along an axis", (event) => actions.lookAlong(event.key)],
    [["p"], "P", "panel on or off", () => actions.togglePanel()],
    [["t"], "T", "dark or light", () => actions.toggleTheme()],
    [["s"], "S", "save a picture", () => actions.savePicture()],
    [["f"], "F", "full screen", () => actions.toggleFullScreen()],
    [["?", "h"], "?", "this list", () => actions.toggleHelp()],
  ];
  document.getElementById("keys").replaceChildren(...list.flatMap(([, names, meaning]) => {
    const term = document.createElement("dt"), text = document.createElement("dd");
    for (const name of names.split(" ")) {
      const key = document.createElement("kbd");
      key.textContent = name;
      term.append(key, " ");
    }
    text.textContent = meaning;
    return [term, text];
  }));
  const onKey = (event) => {
    const isTyping = /^(SELECT|TEXTAREA)$/.test(event.target.tagName) || (event.target.tagName === "INPUT" && !["range", "checkbox"].includes(event.target.type));
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.getElementById("help").open && !["?", "h"].includes(event.key)) return;
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = list.find(([keys]) => keys.includes(pressed));
    if (!found) return;
    event.preventDefault();
    found[3](event);
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
