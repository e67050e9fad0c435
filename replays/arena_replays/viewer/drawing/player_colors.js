/** The colours of the players on every board. They can be told apart with any colour vision, on light and on dark. */
const COLORS = ["#3d8bf2", "#e8791c", "#2ba77c", "#b46bd6", "#d9536f", "#a3942a", "#5fb8d4", "#8a6d5b"];

/**
 * The colour of the player on a seat. In the second leg the players have changed seats and keep their colours.
 * @param {number} seat @param {number} leg from 0
 */
export function colorOf(seat, leg) {
  return COLORS[(seat ^ leg) % COLORS.length];
}
