// The path of a bot through a bracket, while the pointer or the keyboard is at one of its encounters.

function trace(event) {
  const at = event.target.closest?.("[data-bots]");
  const bracket = at?.closest(".bracket");
  for (const one of document.querySelectorAll(".bracket.traced")) if (one !== bracket) clear(one);
  if (!bracket) return;
  const names = at.dataset.bots.split("\n");
  const { top, height } = at.getBoundingClientRect();
  const name = names[event.clientY > top + height / 2 ? names.length - 1 : 0]; // the lower half is that of the second
  bracket.classList.add("traced");
  for (const one of bracket.querySelectorAll("[data-bots]"))
    one.classList.toggle("path", one.dataset.bots.split("\n").includes(name));
}

function clear(bracket) {
  bracket.classList.remove("traced");
  for (const one of bracket.querySelectorAll(".path")) one.classList.remove("path");
}

for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, trace);
