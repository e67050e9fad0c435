/** Writes animated pictures: GIF with one palette, and in each picture only the rectangle that has changed. */

/** The index in the palette that stands for "as before". */
const SAME = 255;
const [CLEAR, END] = [256, 257];
const MOST_CODES = 4096;

export class Gif {
  /**
   * @param {number} width @param {number} height
   * @param {Uint8ClampedArray[]} samples some of the pictures: their colours become the palette
   */
  constructor(width, height, samples) {
    this.width = width;
    this.height = height;
    this.palette = new Palette(samples);
    this.bytes = new Bytes();
    /** @type {Uint32Array | null} the picture before */
    this.before = null;
    this.table = new Uint16Array(MOST_CODES << 8);
    const { bytes } = this;
    bytes.text("GIF89a");
    bytes.short(width, height);
    bytes.add(0xf7, 0, 0);
    for (const color of this.palette.colors) bytes.add(...color);
    bytes.add(0x21, 0xff, 11);
    bytes.text("NETSCAPE2.0");
    bytes.add(3, 1, 0, 0, 0);
  }

  /** Adds a picture. @param {Uint8ClampedArray} data as of a canvas @param {number} time in hundredths of a second */
  add(data, time) {
    const pixels = new Uint32Array(data.buffer);
    const [left, top, right, bottom] = this.changed(pixels);
    const { before, bytes, palette, width } = this;
    const picture = new Uint8Array((right - left) * (bottom - top));
    let at = 0;
    for (let y = top; y < bottom; y++)
      for (let from = y * width + left, to = y * width + right; from < to; from++)
        picture[at++] = before && before[from] === pixels[from] ? SAME : palette.indexOf(pixels[from]);
    bytes.add(0x21, 0xf9, 4, 5);
    bytes.short(time);
    bytes.add(SAME, 0, 0x2c);
    bytes.short(left, top, right - left, bottom - top);
    bytes.add(0, 8);
    this.compress(picture);
    this.before = pixels;
  }

  /** @returns {Uint8Array<ArrayBuffer>} the file */
  end() {
    this.bytes.add(0x3b);
    return this.bytes.data.slice(0, this.bytes.size);
  }

  /** The rectangle that has changed; at least one pixel. @param {Uint32Array} pixels */
  changed(pixels) {
    const { before, height, width } = this;
    if (!before) return [0, 0, width, height];
    let [left, top, right, bottom] = [width, height, 0, 0];
    for (let y = 0, row = 0; y < height; y++, row += width) {
      let x = 0;
      while (x < width && before[row + x] === pixels[row + x]) x++;
      if (x === width) continue;
      let last = width - 1;
      while (before[row + last] === pixels[row + last]) last--;
      [left, right] = [Math.min(left, x), Math.max(right, last + 1)];
      [top, bottom] = [Math.min(top, y), y + 1];
    }
    return right ? [left, top, right, bottom] : [0, 0, 1, 1];
  }

  /** The LZW of GIF: codes of 9 to 12 bits, in blocks of at most 255 bytes. @param {Uint8Array} picture */
  compress(picture) {
    const { bytes, table } = this;
    let [bits, next, buffer, filled] = [9, END + 1, 0, 0];
    let block = bytes.begin();
    const put = (/** @type {number} */ byte) => {
      bytes.add(byte);
      if (bytes.size - block > 255) block = bytes.begin(block);
    };
    const emit = (/** @type {number} */ code) => {
      buffer |= code << filled;
      for (filled += bits; filled >= 8; filled -= 8, buffer >>>= 8) put(buffer & 255);
    };
    emit(CLEAR);
    table.fill(0);
    let prefix = picture[0];
    for (let at = 1; at < picture.length; at++) {
      const key = (prefix << 8) | picture[at];
      if (table[key]) {
        prefix = table[key];
        continue;
      }
      emit(prefix);
      table[key] = next;
      if (next++ === 1 << bits) bits++;
      if (next === MOST_CODES) {
        emit(CLEAR);
        table.fill(0);
        [bits, next] = [9, END + 1];
      }
      prefix = picture[at];
    }
    emit(prefix);
    emit(END);
    if (filled) put(buffer & 255);
    bytes.close(block);
  }
}

/** The 255 most common colours of some pictures, with 5 bits for each part of a colour. */
class Palette {
  /** @param {Uint8ClampedArray[]} samples */
  constructor(samples) {
    const counts = new Uint32Array(1 << 15);
    for (const data of samples) for (const pixel of new Uint32Array(data.buffer)) counts[codeOf(pixel)]++;
    const common = Array.from(counts.keys()).sort((one, other) => counts[other] - counts[one]);
    /** @type {[number, number, number][]} red, green and blue */
    this.colors = common
      .slice(0, SAME)
      .map((code) => [((code >> 10) << 3) | 4, (((code >> 5) & 31) << 3) | 4, ((code & 31) << 3) | 4]);
    this.colors.push([0, 0, 0]);
    this.known = new Int16Array(1 << 15).fill(-1);
  }

  /** @param {number} pixel */
  indexOf(pixel) {
    const code = codeOf(pixel);
    if (this.known[code] < 0) this.known[code] = this.nearest(code);
    return this.known[code];
  }

  /** @param {number} code */
  nearest(code) {
    const [r, g, b] = [((code >> 10) << 3) | 4, (((code >> 5) & 31) << 3) | 4, ((code & 31) << 3) | 4];
    let best = 0;
    let least = Infinity;
    for (let at = 0; at < SAME; at++) {
      const color = this.colors[at];
      const far = (color[0] - r) ** 2 + (color[1] - g) ** 2 + (color[2] - b) ** 2;
      if (far < least) [best, least] = [at, far];
    }
    return best;
  }
}

/** 5 bits each of red, green and blue, from a pixel of a canvas. @param {number} pixel */
const codeOf = (pixel) => ((pixel & 0xf8) << 7) | ((pixel >>> 6) & 0x3e0) | ((pixel >>> 19) & 31);

/** Bytes that grow. */
class Bytes {
  constructor() {
    this.data = new Uint8Array(1 << 20);
    this.size = 0;
  }

  /** @param {...number} values */
  add(...values) {
    if (this.size + values.length > this.data.length) {
      const more = new Uint8Array(2 * this.data.length);
      more.set(this.data);
      this.data = more;
    }
    for (const value of values) this.data[this.size++] = value;
  }

  /** @param {...number} values */
  short(...values) {
    for (const value of values) this.add(value & 255, value >> 8);
  }

  /** @param {string} text */
  text(text) {
    for (const letter of text) this.add(letter.charCodeAt(0));
  }

  /**
   * Begins a block, and returns where it is: its first byte is its length.
   * @param {number} [full] a block that is full and ends here
   */
  begin(full) {
    if (full !== undefined) this.data[full] = this.size - full - 1;
    this.add(0);
    return this.size - 1;
  }

  /** Ends the last block. Without bytes, it ends the picture itself. @param {number} block */
  close(block) {
    this.data[block] = this.size - block - 1;
    if (this.data[block]) this.add(0);
  }
}
