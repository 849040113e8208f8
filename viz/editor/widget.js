// The frame of the workbench in a notebook: passes its requests to Python, and the responses back.

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts allow-downloads";
  frame.srcdoc = model.get("page");
  frame.title = "workbench";
  Object.assign(frame.style, { width: "100%", height: "760px", border: "0" });
  const request = (event) => {
    if (event.source === frame.contentWindow && event.data && typeof event.data.pipeline === "string") model.send(event.data);
  };
  const respond = (message) => frame.contentWindow && frame.contentWindow.postMessage(message, "*");
  window.addEventListener("message", request);
  model.on("msg:custom", respond);
  el.appendChild(frame);
  return () => {
    window.removeEventListener("message", request);
    model.off("msg:custom", respond);
  };
}

export default { render };
