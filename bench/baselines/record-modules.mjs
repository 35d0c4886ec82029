// `--import` this to record the ES modules that are loaded; `require.cache` has the others.
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

const hooks = `
let port;
export function initialize(data) { port = data.port; }
export async function load(url, context, next) {
  if (url.startsWith('file:')) port.postMessage(url);
  return await next(url, context);
}`;

const { port1, port2 } = new MessageChannel();
register(`data:text/javascript,${encodeURIComponent(hooks)}`, {
  parentURL: import.meta.url,
  data: { port: port2 },
  transferList: [port2],
});
port1.unref();

globalThis.recordedModules = () => {
  const modules = [];
  for (let next = receiveMessageOnPort(port1); next !== undefined; next = receiveMessageOnPort(port1)) {
    modules.push(fileURLToPath(next.message));
  }
  return modules.filter((module) => !module.endsWith('import-probe.mjs'));
};
