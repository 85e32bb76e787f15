// A page that was opened as a file may start no worker, so the search would be dead: there a frame does its work.
if (location.protocol === "file:") {
    window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            const frame = document.createElement("iframe");
            frame.hidden = true;
            document.body.append(frame);
            this.inside = frame.contentWindow;
            this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
            const script = this.inside.document.createElement("script");
            script.src = url;
            this.ready = new Promise((resolve) => script.addEventListener("load", resolve));
            this.inside.document.body.append(script);
        }

        async postMessage(data) {
            await this.ready;
            this.inside.dispatchEvent(new MessageEvent("message", { data }));
        }
    };
}
