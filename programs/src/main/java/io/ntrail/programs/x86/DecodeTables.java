package io.ntrail.programs.x86;

import io.ntrail.formats.bytes.ResourceFile;

/**
 * Decision tables of the decoder: the forms, turned so that the bytes of an instruction lead to an
 * answer in a few steps.
 *
 * <p>There is one array of cells. Each map of each kind of code has a page of 256 of them, one per
 * opcode. A cell is 0 (no such instruction), a leaf (positive), or a node (negative) that selects
 * some bits of the {@linkplain #STATE_MODRM state} and has the start of the cells for their values.
 *
 * <pre>
 * node  31 = 1 | 27..30 number of bits | 22..26 lowest bit | 0..21 first cell
 * leaf  24..30 flags | 18..23 flow class | 16..17 kind of operand size | 0..15:
 *       legacy maps: four times 4 bits, bytes of immediates by (W, 66): none, 66, W, both
 *       VEX, XOP, EVEX: 0..3 bytes of immediates, 4..15 flags
 * </pre>
 *
 * The array is derived from the forms by {@code FormCompiler} among the tests, which also checks
 * that it is up to date; reading the forms themselves would take longer than most answers.
 */
final class DecodeTables {
  // Bits of the state that nodes ask for.
  static final int STATE_MODRM = 0;
  static final int STATE_RM = 0;
  static final int STATE_REG = 3;
  static final int STATE_REGISTER_FORM = 8;

  /** Two bits: 0 none, 1 66, 2 F3, 3 F2; F2 and F3 come before 66. */
  static final int STATE_PREFIX = 9;

  /** Two bits: an operand size prefix, W. */
  static final int STATE_OPERAND_SIZE = 11;

  static final int STATE_ADDRESS_SIZE = 13;
  static final int STATE_REX_R = 14;
  static final int STATE_VECTOR_LENGTH = 15;
  static final int STATE_BROADCAST = 17;
  static final int STATE_REX_B = 18;

  // Leaves.
  static final int CLASS_SHIFT = 18;
  static final int CLASS_MASK = 63;
  static final int SIZE_KIND_SHIFT = 16;

  /** 66 and W choose the operand size. */
  static final int SIZE_ORDINARY = 0;

  /** In 64-bit code 64 bits, or 16 with 66. */
  static final int SIZE_DEFAULT_64 = 1;

  /** In 64-bit code always 64 bits. */
  static final int SIZE_FORCED_64 = 2;

  /** There is a ModRM byte. */
  static final int MODRM_SHIFT = 24;

  static final int MODRM = 1 << MODRM_SHIFT;

  /** LOCK is allowed if the ModRM byte names memory. */
  static final int LOCKABLE = 1 << 25;

  /** LOCK is allowed with registers: AMD's way to CR8. */
  static final int LOCK_REGISTER = 1 << 26;

  /** The ModRM byte always names registers. */
  static final int ANY_MOD = 1 << 27;

  // Flags of VEX, XOP and EVEX.
  static final int VVVV = 1 << 4;
  static final int VVVV_BELOW_8 = 1 << 5;
  static final int REG_BELOW_8 = 1 << 6;
  static final int VSIB = 1 << 7;
  static final int SIB = 1 << 8;
  static final int MASK = 1 << 9;
  static final int MASK_REQUIRED = 1 << 10;
  static final int ZEROING = 1 << 11;
  static final int DISTINCT = 1 << 12;
  static final int DISTINCT_DESTINATION = 1 << 13;
  static final int RM_BELOW_8 = 1 << 14;
  static final int REG_BELOW_16 = 1 << 15;

  // Maps: the pages of one kind of code.
  static final int MAP_LEGACY = 0;
  static final int MAP_0F = 1;
  static final int MAP_0F38 = 2;
  static final int MAP_0F3A = 3;
  static final int MAP_3DNOW = 4;
  static final int MAP_VEX = 8;
  static final int MAP_EVEX = 16;
  static final int MAP_XOP = 24;
  static final int MAPS = 28;

  /** Name of the resource beside this class. */
  static final String RESOURCE = "forms.bin";

  private DecodeTables() {}

  static int node(int firstBit, int bits, int firstCell) {
    return 1 << 31 | bits << 27 | firstBit << 22 | firstCell;
  }

  /**
   * Reads the resource: the page of every map for every kind of code, then the cells.
   *
   * @return the pages, and the cells
   */
  static int[][] load() {
    byte[] all = ResourceFile.bytes(DecodeTables.class, RESOURCE);
    int count = CodeSize.values().length * CpuVendor.values().length * MAPS;
    int[] pages = ints(all, 0, count);
    int behind = Integer.BYTES * count;
    return new int[][] {pages, ints(all, behind, (all.length - behind) / Integer.BYTES)};
  }

  /** Numbers of four bytes, little-endian. */
  static int[] ints(byte[] from, int at, int count) {
    int[] values = new int[count];
    for (int i = 0, next = at; i < count; i++, next += Integer.BYTES) {
      values[i] = i32(from, next);
    }
    return values;
  }

  static int i32(byte[] from, int at) {
    return from[at] & 0xFF
        | (from[at + 1] & 0xFF) << 8
        | (from[at + 2] & 0xFF) << 16
        | from[at + 3] << 24;
  }
}
