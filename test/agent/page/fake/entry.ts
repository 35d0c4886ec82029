import '../../../../packages/desktop-agent/src/renderer/no-eval.ts';
import { mount } from '../../../../packages/desktop-agent/src/renderer/mount.tsx';
import { FakeMain, type FakeOptions } from './fake-main.ts';

const query = new URLSearchParams(location.search);
const options = JSON.parse(query.get('options') ?? '{}') as FakeOptions;
if (options.chat !== undefined) sessionStorage.setItem('mustard-agent:chat:app-1', options.chat);
const fake = new FakeMain(options);
Object.assign(globalThis, { fake });
document.documentElement.dir = query.get('dir') ?? 'ltr';
mount(fake);
