/** The frame between the page and Python. It has no origin, so it has no cookies, no storage and no session. */
let worker = null;
addEventListener("message", (event) => {
  if (event.source !== parent) return;
  const message = event.data;
  if (message.kind === "stop" || message.kind === "start") {
    worker?.terminate();
    worker = null;
  }
  if (message.kind === "start") {
    worker = new Worker(URL.createObjectURL(new Blob([message.worker], { type: "text/javascript" })));
    const own = worker;
    worker.onmessage = ({ data }) => own === worker && parent.postMessage(data, "*");
    worker.onerror = () => own === worker && parent.postMessage({ kind: "broken", message: "Python has ended." }, "*");
  }
  worker?.postMessage(message, message.kind === "file" ? [message.data] : []);
});
parent.postMessage({ kind: "frame" }, "*");
