import { byKey, countBy, distinct, top } from './answers.mjs';

const people = ['ann@example.org', 'bo@example.org', 'cy@example.net', 'di@example.com', 'eve@example.com'];

/** A mailbox: long subjects are folded, and "From " at the start of a line of text is quoted by ">". */
export const mail = {
  files: ['mail.mbox'],
  make(random, scale) {
    const messages = Array.from({ length: 3000 * scale }, (_, at) => ({
      from: random.skewed(people),
      to: Array.from({ length: 1 + random.int(3) }, () => random.of(people)),
      subject: `${random.chance(0.3) ? 'Re: ' : ''}Report ${random.int(40)} ${random.chance(0.3) ? `about\n a longer matter` : 'in short'}`,
      month: 1 + random.int(6),
      day: 1 + random.int(28),
      attachment: random.chance(0.15),
      quoted: random.chance(0.2),
      id: at,
    }));
    const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'];
    const text = messages.map(({ from, to, subject, month, day, attachment, quoted, id }) =>
      [
        `From ${from} Thu ${months[month - 1]} ${String(day).padStart(2, ' ')} 10:00:00 2026`,
        `Message-ID: <${id}@example.org>`,
        `From: ${from}`,
        `To: ${to.join(',\n ')}`,
        `Subject: ${subject}`,
        `Date: ${String(day).padStart(2, '0')} ${months[month - 1]} 2026 10:00:00 +0000`,
        ...(attachment ? ['X-Attachment: yes'] : []),
        '',
        'Hello,',
        ...(quoted ? ['>From the start this was clear.', 'Subject: this is text'] : []),
        'regards',
        '',
        '',
      ].join('\n'),
    );
    return { files: { 'mail.mbox': text.join('') }, model: messages };
  },
  questions: {
    'mail-count': ['How many messages are in mail.mbox?', 'a number', (all) => all.length],
    'mail-senders': [
      'How many messages did each sender (header From) send in mail.mbox?',
      'an object from address to count',
      (all) => byKey(countBy(all, ({ from }) => from)),
    ],
    'mail-replies': [
      'How many messages in mail.mbox have a subject that begins with "Re: "?',
      'a number',
      (all) => all.filter(({ subject }) => subject.startsWith('Re: ')).length,
    ],
    'mail-recipients': [
      'How many messages in mail.mbox have three recipients in the header To (it may go on in lines that begin with a space)?',
      'a number',
      (all) => all.filter(({ to }) => to.length === 3).length,
    ],
    'mail-months': [
      'In which month (as Mar) were the most messages of mail.mbox sent, by the header Date?',
      'an array [month, count]',
      (all) =>
        top(
          countBy(all, ({ month }) => ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'][month - 1]),
          1,
        )[0],
    ],
    'mail-subjects': [
      'How many different subjects are in mail.mbox? A subject that goes on in the next line, which begins with a space, is one; read it with one space in place of the line break.',
      'a number',
      (all) => distinct(all.map(({ subject }) => subject)),
    ],
    'mail-attachments': [
      'How many messages from ann@example.org in mail.mbox have the header X-Attachment?',
      'a number',
      (all) => all.filter(({ from, attachment }) => attachment && from === 'ann@example.org').length,
    ],
  },
};
