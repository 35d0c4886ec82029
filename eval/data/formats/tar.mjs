/** An archive of tar with these files, by their names of up to 100 bytes. */
export function tarOf(files) {
  const parts = Object.entries(files).flatMap(([name, content]) => {
    const bytes = Buffer.from(content);
    const header = Buffer.alloc(512);
    const octal = (number, digits) => `${number.toString(8).padStart(digits, '0')}\0`;
    header.write(name, 0);
    header.write(`${octal(0o644, 7)}${octal(0, 7)}${octal(0, 7)}${octal(bytes.length, 11)}${octal(0, 11)}`, 100);
    // The sum is taken with blanks where it will stand.
    header.write('        0', 148);
    header.write('ustar\x0000', 257);
    header.write(
      octal(
        header.reduce((total, byte) => total + byte, 0),
        6,
      ),
      148,
    );
    return [header, bytes, Buffer.alloc(-bytes.length & 511)];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}
