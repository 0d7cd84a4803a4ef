package io.ntrail.formats.cab;

import java.util.Arrays;

/**
 * A canonical prefix code of at most 16 bits: shorter before longer, then in the order of symbols.
 * It may be incomplete or empty, because writers leave out what they do not use; an unassigned code
 * is an error when it is met.
 */
final class HuffmanCode {
  private static final int MAX_BITS = 16;
  private static final int LENGTH_BITS = 5;

  private final int fastBits;

  /** By the next {@link #fastBits} bits: symbol and length, or 0 for a longer code or none. */
  private final short[] fast;

  /** The symbols that occur, in the order of their codes. */
  private final short[] symbols;

  /** By length: the first code of the next length, as the upper bits of 16. */
  private final int[] codeEnd = new int[MAX_BITS + 1];

  /** By length: what to add to a code to get its index in {@link #symbols}. */
  private final int[] codeToIndex = new int[MAX_BITS + 1];

  /**
   * An empty code.
   *
   * @param fastBits codes up to this length are looked up at once
   * @param symbols how many symbols there are at most
   */
  HuffmanCode(int fastBits, int symbols) {
    this.fastBits = fastBits;
    this.fast = new short[1 << fastBits];
    this.symbols = new short[symbols];
  }

  /** Takes the lengths of all symbols' codes; 0 is a symbol that does not occur. */
  void build(byte[] lengths, int count) throws DamagedBlock {
    int[] perLength = new int[MAX_BITS + 1];
    for (int symbol = 0; symbol < count; symbol++) {
      perLength[lengths[symbol]]++;
    }
    int[] place = new int[MAX_BITS + 1];
    int code = 0;
    int index = 0;
    for (int length = 1; length <= MAX_BITS; length++) {
      place[length] = index;
      codeToIndex[length] = index - (code >>> (MAX_BITS - length));
      code += perLength[length] << (MAX_BITS - length);
      index += perLength[length];
      codeEnd[length] = code;
    }
    if (code > 1 << MAX_BITS) {
      throw new DamagedBlock("LZX: oversubscribed Huffman code");
    }
    for (int symbol = 0; symbol < count; symbol++) {
      if (lengths[symbol] != 0) {
        symbols[place[lengths[symbol]]++] = (short) symbol;
      }
    }
    int at = 0;
    for (int length = 1, i = 0; length <= fastBits; length++) {
      for (int n = perLength[length]; n > 0; n--) {
        int next = at + (1 << (fastBits - length));
        Arrays.fill(fast, at, next, (short) (symbols[i++] << LENGTH_BITS | length));
        at = next;
      }
    }
    Arrays.fill(fast, at, fast.length, (short) 0);
  }

  /** Takes the next symbol, of whose code all bits are held. */
  int next(LzxBitReader bits) throws DamagedBlock {
    int entry = fast[bits.ahead(fastBits)];
    if (entry == 0) {
      return longer(bits);
    }
    bits.drop(entry & ((1 << LENGTH_BITS) - 1));
    return entry >>> LENGTH_BITS;
  }

  private int longer(LzxBitReader bits) throws DamagedBlock {
    int ahead = bits.ahead(MAX_BITS);
    for (int length = fastBits + 1; length <= MAX_BITS; length++) {
      if (ahead < codeEnd[length]) {
        bits.drop(length);
        return symbols[(ahead >>> (MAX_BITS - length)) + codeToIndex[length]];
      }
    }
    throw new DamagedBlock("LZX: undefined Huffman code");
  }
}
