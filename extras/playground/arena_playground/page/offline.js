/** Keeps the files of this version, so that the playground opens without a network. */

const NAME = "arena-playground VERSION";
const LISTED = "FILES";

addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll(LISTED))
      .then(() => skipWaiting()),
  );
});

addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith("arena-playground ") && name !== NAME);
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(old(names).map((name) => caches.delete(name))))
      .then(() => clients.claim()),
  );
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const kept = caches.open(NAME).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((answer) => answer ?? fetch(event.request)));
});
