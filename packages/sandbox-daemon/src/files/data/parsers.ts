import type { SandboxValue } from '@mustard-sandbox/protocol';
import { calendarEntries } from './calendar.ts';
import { htmlTables } from './html-tables.ts';

/** What `read_data` reads as a whole. */
export const dataFormats = ['yaml', 'toml', 'xml', 'json', 'html', 'ics'] as const;
export type DataFormat = (typeof dataFormats)[number];

/** How many aliases a YAML file may use. Ten lists that each name the next one ten times are ten billion values. */
const maxAliases = 1_000;

/** Each parser loads its library for the first file of its kind. */
export const parsers: Record<DataFormat, (text: string) => Promise<SandboxValue> | SandboxValue> = {
  json: (text) => JSON.parse(text) as SandboxValue,
  html: htmlTables,
  ics: calendarEntries,
  toml: async (text) => {
    const { parse } = await import('smol-toml');
    return parse(text, { maxDepth: 100, integersAsBigInt: 'asNeeded' }) as unknown as SandboxValue;
  },
  yaml: async (text) => {
    const { parseAllDocuments } = await import('yaml');
    const documents = parseAllDocuments(text, {
      logLevel: 'silent',
      prettyErrors: true,
      uniqueKeys: true,
      intAsBigInt: false,
    });
    if (!Array.isArray(documents)) return null;
    const values = documents.map((document) => {
      const [problem] = document.errors;
      if (problem !== undefined) throw problem;
      return document.toJS({ maxAliasCount: maxAliases }) as SandboxValue;
    });
    return values.length > 1 ? values : (values[0] ?? null);
  },
  xml: async (text) => {
    // The library expands entities that a document declares, which can stand for gigabytes.
    if (/<!ENTITY/i.test(text)) throw new Error('it declares entities of its own');
    const { XMLParser, XMLValidator } = await import('fast-xml-parser');
    const valid = XMLValidator.validate(text);
    if (valid !== true) throw new Error(`${valid.err.msg} (line ${valid.err.line})`);
    const parser = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '@',
      // Values stay texts, because 007 is not 7.
      parseTagValue: false,
      parseAttributeValue: false,
      processEntities: true,
      htmlEntities: false,
      ignoreDeclaration: true,
    });
    return parser.parse(text) as SandboxValue;
  },
};
