/** The colours of a chart, as SVG takes them. */
export interface Palette {
  /** One colour for each name, twenty at most. */
  series: readonly string[];
  /** The colours of a ramp, from the least to the greatest amount. */
  ramp: readonly string[];
}

/** The palette of a file, which has no stylesheet. It has the light colours of `tokens.css` in the cards. */
export const filePalette: Palette = {
  series: [
    ...['#ab7302', '#3a84ca', '#3b9555', '#c25c5f', '#9868ba', '#009298', '#868604', '#b85c8b', '#7275cc', '#be6438'],
    ...['#694501', '#194f81', '#195c2e', '#7a3336', '#5e3c75', '#0b585c', '#505107', '#743355', '#434582', '#783818'],
  ],
  ramp: ['#feedc5', '#f5ca75', '#dda953', '#bf8c46', '#9a7246', '#765b43', '#5c412c'],
};
