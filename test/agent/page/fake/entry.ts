import '../../../../packages/desktop-agent/src/page/no-eval.ts';
import { mount } from '../../../../packages/desktop-agent/src/page/mount.tsx';
import { FakeServer, type FakeOptions } from './fake-server.ts';

const query = new URLSearchParams(location.search);
const options = JSON.parse(query.get('options') ?? '{}') as FakeOptions;
if (options.chat !== undefined) sessionStorage.setItem('mustard-agent:chat:app-1', options.chat);
const fake = new FakeServer(options);
Object.assign(globalThis, { fake });
document.documentElement.dir = query.get('dir') ?? 'ltr';
mount(fake);
