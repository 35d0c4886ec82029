import { byKey, sum, sumBy, top } from '../answers.mjs';

/** What servers are set up with: Kubernetes in several documents of YAML, services in TOML, invoices in XML. */
export const settings = {
  files: ['deploy.yaml', 'services.toml', 'invoices.xml'],
  make(random, scale) {
    const count = 20 + Math.round(40 * scale);
    const deployments = Array.from({ length: count }, (_, at) => ({
      name: `app-${at}`,
      replicas: random.chance(0.3) ? undefined : 1 + random.int(5),
      containers: Array.from({ length: 1 + random.int(3) }, (__, container) => ({
        name: `c${container}`,
        image: `registry.example.org:5000/team/${random.of(['api', 'web', 'job'])}${random.of([':1.4.2', ':2.0', ':latest', ''])}`,
        memory: random.of(['256Mi', '512Mi', '1Gi', '2Gi', undefined]),
      })),
    }));
    const services = Array.from({ length: count }, (_, at) => ({
      name: `svc-${at}`,
      enabled: random.chance(0.2) ? false : random.chance(0.5) ? true : undefined,
      depends: Array.from({ length: random.int(4) }, () => `svc-${random.int(count + 6)}`),
    }));
    const invoices = Array.from({ length: 3000 * scale }, (_, at) => ({
      id: `INV-${at}`,
      currency: random.skewed(['EUR', 'USD', 'CHF']),
      customer: random.of(['Müller & Sons', 'Acme <EU>', 'Øre ApS', "O'Neil"]),
      isPaid: random.chance(0.6),
      lines: Array.from({ length: 1 + random.int(4) }, () => ({
        quantity: 1 + random.int(9),
        cents: 50 + random.int(9000),
      })),
    }));
    const files = {
      'deploy.yaml': deployments.map((one) => yamlOf(random, one)).join('---\n'),
      'services.toml': `title = "services"\n${services.map(tomlOf).join('')}`,
      'invoices.xml': xmlOf(invoices),
    };
    return { files, model: { deployments, services, invoices } };
  },
  questions: {
    'yaml-images': [
      'deploy.yaml has several documents for Kubernetes. Which Deployments have a container whose image has the tag latest, or no tag at all? The images begin with the registry and its port, registry.example.org:5000.',
      'an array of the names (metadata.name), sorted as text',
      ({ deployments }) =>
        deployments
          .filter(({ containers }) => containers.some(({ image }) => !/:\d+\.[\d.]+$/.test(image)))
          .map(({ name }) => name)
          .toSorted(),
    ],
    'yaml-memory': [
      'How much memory may the Deployments in deploy.yaml take in all, as their containers state in resources.limits.memory, times the replicas of the Deployment (1 where none are given)? Containers without a limit do not count. 1Gi is 1024Mi.',
      'a number, in Mi',
      ({ deployments }) =>
        sum(
          deployments.map(
            ({ replicas = 1, containers }) => replicas * sum(containers.map(({ memory }) => megabytesOf(memory))),
          ),
        ),
    ],
    'toml-depends': [
      'services.toml has a table [[service]] for each service, with its name, depends (a list of names; may be missing) and enabled (true where it is missing). Which enabled services depend on one that is disabled, or that is not in the file?',
      'an array of names, sorted as text',
      ({ services }) => {
        const running = new Map(services.map(({ name, enabled = true }) => [name, enabled]));
        return services
          .filter(({ enabled = true, depends }) => enabled && depends.some((name) => running.get(name) !== true))
          .map(({ name }) => name)
          .toSorted();
      },
    ],
    'xml-unpaid': [
      'In invoices.xml, an invoice has an attribute currency and one or more lines, with the attributes quantity and price; an invoice without an element paid is unpaid. What is unpaid in each currency, as the sum of quantity * price?',
      'an object from currency to the sum, rounded to two digits',
      ({ invoices }) =>
        Object.fromEntries(
          Object.entries(
            byKey(
              sumBy(
                invoices.filter(({ isPaid }) => !isPaid),
                ({ currency }) => currency,
                centsOf,
              ),
            ),
          ).map(([currency, cents]) => [currency, cents / 100]),
        ),
    ],
    'xml-customers': [
      'Which customer of invoices.xml (the text of the element customer) has the most lines over all invoices?',
      'an array [customer, lines]; of equals the customer that sorts first',
      ({ invoices }) =>
        top(
          sumBy(
            invoices,
            ({ customer }) => customer,
            ({ lines }) => lines.length,
          ),
          1,
        )[0],
    ],
  },
};

const megabytesOf = (memory) => (memory === undefined ? 0 : parseInt(memory, 10) * (memory.endsWith('Gi') ? 1024 : 1));
const centsOf = ({ lines }) => sum(lines.map(({ quantity, cents }) => quantity * cents));

function yamlOf(random, { name, replicas, containers }) {
  const listed = containers.map(
    (one) => `        - name: ${one.name}
          image: ${random.chance(0.3) ? `"${one.image}"` : one.image}
${one.memory === undefined ? '' : `          resources: { limits: { memory: ${one.memory} } }\n`}`,
  );
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
${replicas === undefined ? '' : `  replicas: ${replicas}\n`}  template:
    spec:
      containers:
${listed.join('')}---
# The service of ${name}
apiVersion: v1
kind: Service
metadata: { name: ${name} }
`;
}

function tomlOf({ name, enabled, depends }) {
  const list = depends.length === 0 ? '' : `depends = [${depends.map((one) => `"${one}"`).join(', ')}]\n`;
  return `\n[[service]]\nname = "${name}"\n${enabled === undefined ? '' : `enabled = ${enabled}\n`}${list}\n[service.limits]\ncpu = 0.5\n`;
}

function xmlOf(invoices) {
  const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const list = invoices.map(
    ({ id, currency, customer, isPaid, lines }) => `  <invoice id="${id}" currency="${currency}">
    <customer>${escape(customer)}</customer>
${lines.map(({ quantity, cents }) => `    <line quantity="${quantity}" price="${(cents / 100).toFixed(2)}"/>\n`).join('')}${isPaid ? '    <paid on="2026-05-01"/>\n' : ''}  </invoice>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<invoices>\n${list.join('')}</invoices>\n`;
}
