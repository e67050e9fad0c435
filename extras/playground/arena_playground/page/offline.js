/** Keeps the files of this version, so that the playground opens without a network. */

const NAME = "CACHE";
const LISTED = "FILES";

addEventListener("install", (event) => event.waitUntil(keep().then(() => skipWaiting())));

/** Loads the files that the page has not kept already. */
async function keep() {
  const cache = await caches.open(NAME);
  const kept = await Promise.all(LISTED.map((name) => cache.match(name)));
  await cache.addAll(LISTED.filter((_, at) => !kept[at]));
}

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
