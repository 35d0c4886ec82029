import { parquetWriteBuffer } from 'hyparquet-writer';
import { byKey, countBy, round, sumBy } from '../answers.mjs';

const stations = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
const minute = 60_000;
const where =
  'readings.parquet has the measurements of weather stations, with the columns station, at (a time in UTC), temperature and ok. Some temperatures are missing (null), and -999 means that the sensor was broken: neither is a temperature. Some measurements were sent twice: of one station at one time only one counts, and the repeated ones are equal to it.';

/** Measurements in Parquet: missing ones, a number that means broken, repeated ones, gaps. */
export const readings = {
  files: ['readings.parquet'],
  make(random, scale) {
    const clocks = Object.fromEntries(stations.map((station) => [station, Date.UTC(2026, 4, 1)]));
    const records = Array.from({ length: 60_000 * scale }, () => {
      const station = random.skewed(stations);
      const at = clocks[station] + (random.chance(0.002) ? 30 + random.int(600) : 1 + random.int(3)) * minute;
      clocks[station] = at;
      const tenths = random.chance(0.03) ? null : random.chance(0.01) ? -9990 : random.int(300) - 20;
      return { station, at, tenths, ok: tenths !== -9990 };
    });
    const sent = records.flatMap((record) => (random.chance(0.02) ? [record, record] : [record]));
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: 'station', type: 'STRING', data: sent.map(({ station }) => station) },
        { name: 'at', type: 'TIMESTAMP', data: sent.map(({ at }) => new Date(at)) },
        {
          name: 'temperature',
          type: 'DOUBLE',
          nullable: true,
          data: sent.map(({ tenths }) => (tenths === null ? null : tenths / 10)),
        },
        { name: 'ok', type: 'BOOLEAN', data: sent.map(({ ok }) => ok) },
      ],
    });
    return { files: { 'readings.parquet': new Uint8Array(bytes) }, model: { records, sent } };
  },
  questions: {
    'parquet-means': [
      `${where} What is the average temperature of each station?`,
      'an object from station to the average, rounded to two digits',
      ({ records }) => meansBy(records, ({ station }) => station),
    ],
    'parquet-broken': [
      `${where} How many measurements (rows) does the file have, how many of these rows have no temperature, how many have -999, and how many rows are repetitions, which the file would have fewer if each measurement were in it once?`,
      'an array [rows, without temperature, -999, repetitions]; the first three count each row, repeated or not',
      ({ records, sent }) => [
        sent.length,
        sent.filter(({ tenths }) => tenths === null).length,
        sent.filter(({ tenths }) => tenths === -9990).length,
        sent.length - records.length,
      ],
    ],
    'parquet-gap': [
      `${where} What is the longest time between two consecutive measurements of the same station, with or without a temperature?`,
      'an array [station, minutes]; of equals the station that sorts first',
      ({ records }) =>
        stations
          .map((station) => {
            const times = records.filter((record) => record.station === station).map(({ at }) => at);
            return [station, Math.max(...times.slice(1).map((at, before) => (at - times[before]) / minute))];
          })
          .reduce((longest, one) => (one[1] > longest[1] ? one : longest)),
    ],
    'parquet-chart': [
      `${where} Draw me a line chart of the average temperature of each day (UTC) over all stations.`,
      'an array [number of days in the chart, the highest of these averages rounded to two digits]',
      ({ records }) => {
        const means = Object.values(meansBy(records, dayOf));
        return [means.length, Math.max(...means)];
      },
    ],
    'parquet-save': [
      `${where} Keep the clean measurements, each once and only those with a temperature, as clean.parquet for me.`,
      'an object with the number of rows of that file for each station: from station to number',
      ({ records }) => byKey(countBy(withTemperature(records), ({ station }) => station)),
    ],
  },
};

const dayOf = ({ at }) => new Date(at).toISOString().slice(0, 10);
const withTemperature = (records) => records.filter(({ tenths }) => tenths !== null && tenths !== -9990);

function meansBy(records, keyOf) {
  const some = withTemperature(records);
  const counts = countBy(some, keyOf);
  const sums = sumBy(some, keyOf, ({ tenths }) => tenths);
  return byKey([...sums].map(([key, tenths]) => [key, round(tenths / 10 / counts.get(key))]));
}
