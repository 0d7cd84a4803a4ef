package io.ntrail.testkit.compress;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * LZX as cabinets have it, written from its description: frames of 32,768 bytes, each of which is
 * packed into whole words; blocks of a chosen coding and length, which go on over frames. It is
 * made to exercise a decoder, not to pack well: all forms of offsets, lengths and tree differences
 * occur on fitting input.
 */
public final class LzxEncoder {
  /** Codings of a block. */
  public enum Coding {
    /** Offsets as they are. */
    VERBATIM,
    /** The lowest three bits of offsets have a code of their own. */
    ALIGNED,
    /** Not packed. */
    UNCOMPRESSED
  }

  /**
   * A block.
   *
   * @param length how many bytes of output, below 2^24
   */
  public record Block(Coding coding, int length) {}

  private static final int FRAME = 32_768;
  private static final int LITERALS = 256;
  private static final int LENGTHS = 249;
  private static final int LONGEST_MATCH = 257;
  private static final int[] SLOTS = {30, 32, 34, 36, 38, 42, 50};

  /** One item of a block: a literal (length 0), or a match in the form it will have. */
  private record Item(int length, int literal, int slot, int extra) {
    int mainSymbol() {
      return length == 0 ? literal : LITERALS + 8 * slot + Math.min(7, length - 2);
    }
  }

  private final byte[] data;
  private final int windowBits;
  private final int slots;
  private final MatchFinder finder;
  private final List<byte[]> frames = new ArrayList<>();
  private final int[] recent = {1, 1, 1};
  private int[] mainLengths;
  private int[] lengthLengths = new int[LENGTHS];

  private LittleEndian out = new LittleEndian();
  private int word;
  private int wordBits;

  private LzxEncoder(byte[] translated, int windowBits) {
    this.data = translated;
    this.windowBits = windowBits;
    this.slots = SLOTS[windowBits - 15];
    this.finder = new MatchFinder(data, (1 << windowBits) - 3);
    this.mainLengths = new int[LITERALS + 8 * slots];
  }

  /**
   * The packed frames of {@code data}, one a block of a cabinet.
   *
   * @param windowBits 15 to 21
   * @param translation what call targets wrap around at, or 0 to leave them alone
   * @param blocks at least as long as the data together; the rest of the last one is not written
   */
  public static List<byte[]> compress(
      byte[] data, int windowBits, int translation, List<Block> blocks) {
    byte[] translated = data.clone();
    if (translation != 0) {
      translate(translated, translation);
    }
    LzxEncoder encoder = new LzxEncoder(translated, windowBits);
    encoder.bits(1, translation == 0 ? 0 : 1);
    if (translation != 0) {
      encoder.bits(16, translation >>> 16);
      encoder.bits(16, translation & 0xFFFF);
    }
    int at = 0;
    for (Block block : blocks) {
      int end = (int) Math.min(data.length, (long) at + block.length());
      if (at < end) {
        encoder.block(block.coding(), at, end, block.length());
      }
      at = end;
    }
    if (at < data.length) {
      throw new IllegalArgumentException("blocks for " + at + " bytes of " + data.length);
    }
    encoder.endFrame();
    return encoder.frames;
  }

  /** Makes targets of calls absolute, frame by frame, but for the last ten bytes of each. */
  private static void translate(byte[] data, int size) {
    for (int frame = 0; frame < data.length; frame += FRAME) {
      int end = Math.min(data.length, frame + FRAME) - 10;
      for (int at = frame; at < end; at++) {
        if (data[at] != (byte) 0xE8) {
          continue;
        }
        int relative = (int) LittleEndian.getU32(data, at + 1);
        if (relative >= -at && relative < size) {
          long absolute = relative < size - at ? (long) relative + at : (long) relative - size;
          LittleEndian.putU32(data, at + 1, absolute);
        }
        at += 4;
      }
    }
  }

  private void block(Coding coding, int from, int end, int declared) {
    beginAt(from);
    bits(3, coding.ordinal() + 1);
    bits(16, declared >>> 8);
    bits(8, declared & 0xFF);
    if (coding == Coding.UNCOMPRESSED) {
      plain(from, end, declared);
      return;
    }
    List<Item> items = items(from, end);
    int[] mainCount = new int[LITERALS + 8 * slots];
    int[] lengthCount = new int[LENGTHS];
    int[] alignedCount = new int[8];
    for (Item item : items) {
      mainCount[item.mainSymbol()]++;
      if (item.length >= 9) {
        lengthCount[item.length - 9]++;
      }
      if (item.length > 0 && extraBits(item.slot) >= 3) {
        alignedCount[item.extra & 7]++;
      }
    }
    int[] aligned = PrefixCode.lengths(alignedCount, 7);
    if (coding == Coding.ALIGNED) {
      for (int length : aligned) {
        bits(3, length);
      }
    }
    int[] main = PrefixCode.lengths(mainCount, 16);
    boolean noLengths = Arrays.stream(lengthCount).allMatch(count -> count == 0);
    int[] lengths = noLengths ? new int[LENGTHS] : PrefixCode.lengths(lengthCount, 16);
    tree(mainLengths, main, 0, LITERALS);
    tree(mainLengths, main, LITERALS, main.length);
    tree(lengthLengths, lengths, 0, LENGTHS);
    mainLengths = main;
    lengthLengths = lengths;
    int[] mainCodes = PrefixCode.codes(main);
    int[] lengthCodes = PrefixCode.codes(lengths);
    int[] alignedCodes = PrefixCode.codes(aligned);
    int at = from;
    for (Item item : items) {
      beginAt(at);
      at += Math.max(1, item.length);
      bits(main[item.mainSymbol()], mainCodes[item.mainSymbol()]);
      if (item.length >= 9) {
        bits(lengths[item.length - 9], lengthCodes[item.length - 9]);
      }
      int extra = item.length == 0 ? 0 : extraBits(item.slot);
      if (coding == Coding.ALIGNED && extra >= 3) {
        bits(extra - 3, item.extra >>> 3);
        bits(aligned[item.extra & 7], alignedCodes[item.extra & 7]);
      } else {
        bits(extra, item.extra);
      }
    }
  }

  /** Matches end with their frame and their block. */
  private List<Item> items(int from, int end) {
    List<Item> items = new ArrayList<>();
    for (int at = from; at < end; ) {
      int stop = Math.min(end, (at / FRAME + 1) * FRAME);
      Item item = match(at, stop);
      items.add(item);
      at += Math.max(1, item.length);
    }
    return items;
  }

  private Item match(int at, int stop) {
    for (int i = 0; i < 3; i++) {
      int length = lengthAt(at, recent[i], stop);
      if (length >= 2) {
        int offset = recent[i];
        recent[i] = recent[0];
        recent[0] = offset;
        return new Item(length, 0, i, 0);
      }
    }
    int length = finder.find(at, 0, stop, LONGEST_MATCH);
    if (length == 0) {
      return new Item(0, data[at] & 0xFF, 0, 0);
    }
    int offset = finder.distance();
    recent[2] = recent[1];
    recent[1] = recent[0];
    recent[0] = offset;
    int formatted = offset + 2;
    int slot = 3;
    int base = 3;
    while (base + (1 << extraBits(slot)) <= formatted) {
      base += 1 << extraBits(slot);
      slot++;
    }
    return new Item(length, 0, slot, formatted - base);
  }

  private int lengthAt(int at, int offset, int stop) {
    int length = 0;
    int longest = Math.min(LONGEST_MATCH, stop - at);
    while (offset <= Math.min(at, (1 << windowBits) - 3)
        && length < longest
        && data[at + length] == data[at + length - offset]) {
      length++;
    }
    return length;
  }

  private static int extraBits(int slot) {
    if (slot < 4) {
      return 0;
    }
    return slot >= 36 ? 17 : slot / 2 - 1;
  }

  /** Code lengths of some symbols: what they differ from those of the block before. */
  private void tree(int[] before, int[] now, int from, int to) {
    // Symbol, then the extra bits and their number; a repetition has a further symbol.
    List<int[]> codes = new ArrayList<>();
    for (int at = from; at < to; ) {
      int run = 1;
      while (at + run < to && now[at + run] == now[at]) {
        run++;
      }
      if (now[at] == 0 && run >= 20) {
        run = Math.min(run, 51);
        codes.add(new int[] {18, run - 20, 5});
      } else if (now[at] == 0 && run >= 4) {
        run = Math.min(run, 19);
        codes.add(new int[] {17, run - 4, 4});
      } else if (run >= 4) {
        run = Math.min(run, 5);
        codes.add(new int[] {19, run - 4, 1});
        codes.add(new int[] {(before[at] - now[at] + 17) % 17, 0, 0});
      } else {
        run = 1;
        codes.add(new int[] {(before[at] - now[at] + 17) % 17, 0, 0});
      }
      at += run;
    }
    int[] count = new int[20];
    codes.forEach(code -> count[code[0]]++);
    int[] lengths = PrefixCode.lengths(count, 15);
    int[] values = PrefixCode.codes(lengths);
    for (int length : lengths) {
      bits(4, length);
    }
    for (int[] code : codes) {
      bits(lengths[code[0]], values[code[0]]);
      bits(code[2], code[1]);
    }
  }

  private void plain(int from, int end, int declared) {
    if (wordBits == 0) {
      bits(16, 0);
    } else {
      flush();
    }
    for (int offset : recent) {
      out.u32(offset);
    }
    for (int at = from; at < end; at++) {
      beginAt(at);
      out.u8(data[at]);
    }
    if (declared % 2 != 0 && end - from == declared) {
      out.u8(0);
    }
  }

  private void bits(int count, int value) {
    for (int i = count - 1; i >= 0; i--) {
      word = word << 1 | (value >>> i & 1);
      if (++wordBits == 16) {
        out.u16(word);
        word = 0;
        wordBits = 0;
      }
    }
  }

  private void flush() {
    while (wordBits != 0) {
      bits(1, 0);
    }
  }

  /** Begins a new frame. */
  private void beginAt(int at) {
    if (at > 0 && at % FRAME == 0 && at / FRAME > frames.size()) {
      endFrame();
    }
  }

  private void endFrame() {
    flush();
    frames.add(out.toByteArray());
    out = new LittleEndian();
  }
}
