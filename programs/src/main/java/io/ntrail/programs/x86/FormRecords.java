package io.ntrail.programs.x86;

import io.ntrail.formats.bytes.ResourceFile;
import java.nio.charset.StandardCharsets;

/**
 * The forms beyond the first depth of decoding: the second resource made of them, loaded when
 * operands are first read and not before.
 *
 * <pre>
 * ints, little-endian
 *   number of forms, number of cells, number of mnemonics, number of words of effects
 *   the page of every map of every kind of code
 *   the cells: nodes as in {@link DecodeTables}, for the state below; a leaf is the number of a form, from
 *   1 on
 *   the forms, {@value #WORDS} words each
 *   the effects, one after the other
 * the mnemonics, in ASCII, each after a byte with its length
 *
 * word 0     0..11 mnemonic | 12..14 operands | 15..18 which of them is masked, 15 none
 *            | 19..30 types of the first four, three bits each: register where it may be memory
 * word 1     attributes
 * word 2..6  an operand each:
 *            0..3 place | 4..8 number of the register, 9..13 its class | 14..23 bytes of memory
 *            | 24..28 bits of an encoded number that mean something
 *            immediates: 4..13 width in bits | 24..26 logarithm of bytes
 *            | 27..28 logarithm of bytes it is extended to
 *            all: 29 not written in manuals | 30 one of several registers in a row
 *            | 31 a far pointer in memory
 * word 7     where its effects begin
 *
 * effects    letters of accesses to operands, four bits each; 20..23 that to memory as the first
 *            operand plus 1, if it differs | 24 zero | 25 count | 26..28 x87 stack
 *            flags read, written (16 bits each) | cleared, set | undefined
 *            how much else, then of each
 *            0..2 access | 3 memory | 4..6 kind | 7..11 class | 12..16 number | 17..18 segment
 *            | 19 displacement in units of the operand size
 *            0..15 bytes | 16..31 displacement
 * </pre>
 */
final class FormRecords {
  static final String RESOURCE = "operands.bin";
  static final int WORDS = 8;
  static final int EFFECTS_WORD = 7;

  // Bits of the state that nodes ask for: what most opcodes depend on is side by side, so that one
  // node is enough for them. W, B and ModRM lie as in their bytes, so that one shift brings them.
  static final int STATE_REX_B = 0;
  static final int STATE_66 = 2;
  static final int STATE_W = 3;
  static final int STATE_PREFIX = 4;
  static final int STATE_REGISTER_FORM = 6;
  static final int STATE_VECTOR_LENGTH = 7;
  static final int STATE_BROADCAST = 9;
  static final int STATE_RM = 10;
  static final int STATE_REG = 13;
  static final int STATE_ADDRESS_SIZE = 18;
  static final int STATE_REX_R = 19;

  // Places of operands. The first four are those of register numbers, in their order.
  static final int PLACE_REG = 0;
  static final int PLACE_RM = 1;
  static final int PLACE_VVVV = 2;
  static final int PLACE_OPCODE = 3;
  static final int PLACE_IMMEDIATE = 4;
  static final int PLACE_IMMEDIATE_REGISTER = 5;
  static final int PLACE_IMMEDIATE_NIBBLE = 6;
  static final int PLACE_RELATIVE = 7;
  static final int PLACE_FAR = 8;
  static final int PLACE_OFFSET = 9;
  static final int PLACE_FIXED = 10;

  /** The number 1, implied by the opcode. */
  static final int PLACE_ONE = 11;

  static final int PLACE_ES_DI = 12;
  static final int PLACE_SI = 13;
  static final int PLACE_BX = 14;

  /** AX, EAX, RAX by the address size. */
  static final int PLACE_ADDRESS_AX = 15;

  /** A register as {@link Register} counts all of them, or the width of an immediate. */
  static final int DETAIL_SHIFT = 4;

  static final int DETAIL_MASK = 1023;
  static final int NUMBER_SHIFT = DETAIL_SHIFT;
  static final int CLASS_SHIFT = NUMBER_SHIFT + Register.STRIDE_SHIFT;
  static final int MEMORY_SHIFT = 14;
  static final int MEMORY_MASK = 1023;
  static final int NUMBER_MASK_SHIFT = 24;
  static final int IMMEDIATE_SHIFT = 24;
  static final int EXTENDED_SHIFT = 27;
  static final int IMPLIED = 1 << 29;
  static final int ROW = 1 << 30;

  /** Memory with a segment and an offset, for a jump or a call. */
  static final int FAR = 1 << 31;

  // Word 0.
  static final int COUNT_SHIFT = 12;
  static final int MASKED_SHIFT = 15;
  static final int NOT_MASKED = 15;
  static final int TYPES_SHIFT = 19;

  // Word 1.
  static final int DISPLACEMENT_SCALE_MASK = 7;

  /** Two bits: logarithm of the bytes of an element that can be broadcast, 0 none. */
  static final int BROADCAST_SHIFT = 3;

  static final int ROUNDING = 1 << 5;
  static final int SAE = 1 << 6;
  static final int XACQUIRE = 1 << 7;
  static final int XRELEASE = 1 << 8;
  static final int REP = 1 << 9;
  static final int REPE = 1 << 10;
  static final int BND = 1 << 11;
  static final int NOTRACK = 1 << 12;
  static final int HINT = 1 << 13;
  static final int NO_SEGMENT = 1 << 14;
  static final int ANY_MOD = 1 << 15;

  /** The index of the address is a vector register, of the operand's class. */
  static final int VECTOR_INDEX = 1 << 16;

  /** There is implicit memory, in the segment of a prefix. */
  static final int SEGMENT_UNSEEN = 1 << 17;

  /** VEX, EVEX or XOP: writing a part of a vector register clears the rest. */
  static final int VECTOR = 1 << 18;

  /** There is an operand in the place of rm, and it is memory depending on mod. */
  static final int MEMORY = 1 << 19;

  /** Three bits: which operand that is. */
  static final int MEMORY_OPERAND_SHIFT = 20;

  /** Three bits: which operand is an immediate or relative, {@link #NO_OPERAND} none. */
  static final int NUMBER_OPERAND_SHIFT = 23;

  static final int NO_OPERAND = 7;

  /** The immediate is not sign-extended. */
  static final int UNSIGNED = 1 << 26;

  /** There are more than three operands, or some in rarer places, or two numbers. */
  static final int IRREGULAR = 1 << 27;

  /** There is a register of one byte, which without REX may be AH, CH, DH or BH. */
  static final int BYTES = 1 << 28;

  // Letters of accesses to operands, after those of Access.
  static final int ACCESS_MOVE = 6;
  static final int ACCESS_ADDRESS = 7;
  static final int ACCESS_NONE = 8;
  static final int ACCESS_SELECTED = 9;

  /** If both sources are the same register, nothing is read and the result is zero. */
  static final int SAME_IS_ZERO = 1 << 24;

  /** A count of 0 changes no flags, of 1 leaves no overflow undefined. */
  static final int COUNTED = 1 << 25;

  /** Three bits: an {@link X87Stack}. */
  static final int X87_SHIFT = 26;

  // What else is read and written.
  static final int BESIDE_MEMORY = 8;
  static final int BESIDE_UNITS = 1 << 19;
  static final int OPERAND_BYTES = 0xFFFF;
  static final int KIND_FIXED = 0;
  static final int KIND_ADDRESS = 1;
  static final int KIND_OPERAND = 2;
  static final int KIND_CODE = 3;
  static final int KIND_FIRST = 4;
  static final int KIND_GROUP = 5;
  static final int GROUP_GENERAL = 0;
  static final int GROUP_SEGMENTS = 1;
  static final int GROUP_VECTORS = 2;
  static final int GROUP_PAIR = 3;
  static final int GROUP_FOUR = 4;

  final int[] pages;
  final int[] cells;
  final int[] forms;
  final int[] effects;
  final String[] mnemonics;

  private FormRecords(byte[] all) {
    int forms = DecodeTables.i32(all, 0);
    int at = 4 * Integer.BYTES;
    this.pages =
        DecodeTables.ints(
            all, at, CodeSize.values().length * CpuVendor.values().length * DecodeTables.MAPS);
    at += Integer.BYTES * pages.length;
    this.cells = DecodeTables.ints(all, at, DecodeTables.i32(all, 4));
    at += Integer.BYTES * cells.length;
    this.forms = DecodeTables.ints(all, at, forms * WORDS);
    at += Integer.BYTES * this.forms.length;
    this.effects = DecodeTables.ints(all, at, DecodeTables.i32(all, 12));
    at += Integer.BYTES * effects.length;
    this.mnemonics = new String[DecodeTables.i32(all, 8)];
    for (int i = 0; i < mnemonics.length; i++) {
      int length = all[at];
      mnemonics[i] = new String(all, at + 1, length, StandardCharsets.US_ASCII);
      at += 1 + length;
    }
  }

  /** The mnemonic of a form. */
  String mnemonic(int form) {
    return mnemonics[forms[(form - 1) * WORDS] & 0xFFF];
  }

  /** The forms, loaded once. */
  static FormRecords get() {
    return Holder.LOADED;
  }

  private static final class Holder {
    private static final FormRecords LOADED = load();
  }

  private static FormRecords load() {
    return new FormRecords(ResourceFile.bytes(FormRecords.class, RESOURCE));
  }
}
