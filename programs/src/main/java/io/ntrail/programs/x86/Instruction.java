package io.ntrail.programs.x86;

import io.ntrail.formats.bytes.Bytes;
import java.util.Optional;

/**
 * One decoded instruction: a flyweight that {@link InstructionDecoder#decode} fills again and
 * again. It refers to the bytes it was decoded from, which must stay readable while it is used.
 *
 * <p>Offsets are bytes from the start of the instruction. Not for several threads at once.
 */
public final class Instruction {
  // Bits of the prefixes.
  static final int REX_B = 1;
  static final int REX_X = 2;
  static final int REX_R = 4;
  static final int REX_W = 8;
  static final int REX = 0x40;

  /** Two bits: 2 F3, 3 F2; the last one counts. */
  static final int SIMD_SHIFT = 8;

  static final int LOCK = 1 << 10;

  /** There is a prefix of a segment; which one, the first depth need not know. */
  static final int SEGMENT = 1 << 11;

  /** 66 and, in two bits, the last of F2 and F3, else 66: as the state of the forms has them. */
  static final int STATE_SHIFT = 10;

  static final int HAS_66 = 1 << STATE_SHIFT + FormRecords.STATE_66;
  static final int PREFIX_SHIFT = STATE_SHIFT + FormRecords.STATE_PREFIX;

  static final int ADDRESS_SIZE = 1 << FormRecords.STATE_ADDRESS_SIZE;

  private static final Bytes NOTHING = Bytes.copyOf(new byte[0], "nothing");
  private static final InstructionDecoder NO_DECODER = InstructionDecoder.of(CodeSize.BITS64);

  // Written by the decoder.
  Bytes bytes = NOTHING;
  InstructionDecoder decoder = NO_DECODER;
  int at;
  int end;
  private int length;
  private int leaf;

  /** Offset after the opcode: of the ModRM byte where there is one. */
  int opcodeEnd;

  /** Bit 0: 66, bit 1: W; as the state of the cells has it. */
  int operandSizeBits;

  /** True if there is a 67. */
  boolean addressSizePrefix;

  /** Bytes of immediates. */
  private int immediateSize;

  // What the first depth saw on its way, so that the second need not look for it again.

  /** Eight bytes from the opcode on, zeros past the end; of 3DNow! the suffix is the opcode. */
  long fromOpcode;

  /** The map, one of those of {@link DecodeTables}. */
  int map;

  /** The prefixes: bits as below, and bits 0 to 7 the last REX byte. */
  int prefixes;

  /**
   * Of VEX, XOP and EVEX the payload: R, X, B inverted in bits 5 to 7; from bit 8 on W, vvvv, L,
   * pp; from bit 16 on the last byte of EVEX.
   */
  int vectorPrefix;

  /** Reason of the refusal, where there is no instruction. */
  private DecodeError refused = DecodeError.ENDS_EARLY;

  /** Creates a flyweight without an instruction: not valid. */
  public Instruction() {}

  /** Starts decoding at an offset. */
  void begin(InstructionDecoder by, Bytes code, int from, int to) {
    // Storing a reference costs the garbage collector more than asking for it.
    if (bytes != code || decoder != by) {
      bytes = code;
      decoder = by;
    }
    at = from;
    end = to;
  }

  /** Notes what the second depth wants to know. */
  void see(long bytesFromOpcode, int newMap, int newPrefixes) {
    fromOpcode = bytesFromOpcode;
    map = newMap;
    prefixes = newPrefixes;
  }

  /** Notes opcode and map of a VEX, XOP or EVEX instruction, whose prefixes are noted before. */
  void seeVector(long bytesFromOpcode, int newMap, int payload) {
    fromOpcode = bytesFromOpcode;
    map = newMap;
    vectorPrefix = payload;
  }

  /** Notes that there is no instruction; returns 0. */
  int refuse(DecodeError why) {
    refused = why;
    length = 0;
    return 0;
  }

  /** Returns the reason why the last bytes were refused. */
  DecodeError reason() {
    return refused;
  }

  /** Returns true if an instruction of this length fits into the bytes, and is not too long. */
  boolean hasRoomFor(int bytesNeeded) {
    return bytesNeeded <= InstructionDecoder.LONGEST && bytesNeeded <= end - at;
  }

  /** Notes that {@link #hasRoomFor} is false; returns 0. */
  int refuseForRoom(int bytesNeeded) {
    return refuse(
        bytesNeeded > InstructionDecoder.LONGEST ? DecodeError.TOO_LONG : DecodeError.ENDS_EARLY);
  }

  /** Notes an instruction if it is one and short enough; returns its length or 0. */
  int accept(int newLeaf, int endOfOpcode, int operands, int immediate) {
    int sum = endOfOpcode + operands + immediate;
    leaf = newLeaf;
    opcodeEnd = endOfOpcode;
    immediateSize = immediate;
    length = sum;
    if (newLeaf == 0) {
      return refuse(DecodeError.NO_SUCH_OPCODE);
    }
    return hasRoomFor(sum) ? sum : refuseForRoom(sum);
  }

  /** Returns the length in bytes, 1 to 15; 0 if the bytes are not an instruction. */
  public int length() {
    return length;
  }

  /** Returns true if the bytes are an instruction. */
  public boolean isValid() {
    return length != 0;
  }

  /** Returns the reason of the refusal; empty for an instruction. */
  public Optional<DecodeError> refusal() {
    return length != 0 ? Optional.empty() : Optional.of(DecodeDiagnosis.of(this, refused));
  }

  /** Returns the refusal in words, for people; empty for an instruction. */
  public String refusalText() {
    return length != 0 ? "" : DecodeDiagnosis.of(this, refused).text();
  }

  /**
   * Returns its effect on the flow of control; {@link FlowClass#EXCEPTION} if it is not an
   * instruction.
   */
  public FlowClass flowClass() {
    return length == 0
        ? FlowClass.EXCEPTION
        : FlowClass.at((leaf >>> DecodeTables.CLASS_SHIFT & DecodeTables.CLASS_MASK) - 1);
  }

  /**
   * Returns true if it continues with the next instruction and nothing else: the common case,
   * cheaply.
   */
  public boolean isNext() {
    return length != 0 && (leaf >>> DecodeTables.CLASS_SHIFT & DecodeTables.CLASS_MASK) == 1;
  }

  /**
   * Returns the target of a relative branch, for an instruction at {@code address}.
   *
   * @throws IllegalStateException if its class has no relative target
   */
  public long branchTarget(long address) {
    if (!isValid() || !flowClass().hasTarget()) {
      throw new IllegalStateException("no relative target: " + flowClass());
    }
    long target = address + length + branchDisplacement();
    // XBEGIN takes 16 bits as a distance, and keeps all of the sum.
    if (operandSize() == 16 && flowClass() != FlowClass.TRANSACTION_BEGIN) {
      return target & 0xFFFF;
    }
    return decoder.codeSize() == CodeSize.BITS64 ? target : target & 0xFFFF_FFFFL;
  }

  /** Returns the displacement of a relative branch from the address after it. */
  private long branchDisplacement() {
    int offset = at + length - immediateSize;
    return switch (immediateSize) {
      case 1 -> (byte) bytes.u8(offset);
      case 2 -> (short) bytes.u16(offset);
      default -> bytes.i32(offset);
    };
  }

  /** Effective operand size in bits: 16, 32 or 64. Byte and vector operands do not follow it. */
  public int operandSize() {
    boolean prefix = (operandSizeBits & 1) != 0;
    boolean wide = (operandSizeBits & 2) != 0;
    return switch (decoder.codeSize()) {
      case BITS16 -> prefix ? 32 : 16;
      case BITS32 -> prefix ? 16 : 32;
      case BITS64 -> {
        int kind = leaf >>> DecodeTables.SIZE_KIND_SHIFT & 3;
        if (wide || kind == DecodeTables.SIZE_FORCED_64) {
          yield 64;
        }
        yield prefix ? 16 : kind == DecodeTables.SIZE_DEFAULT_64 ? 64 : 32;
      }
    };
  }

  /** Effective address size in bits: 16, 32 or 64. */
  public int addressSize() {
    return switch (decoder.codeSize()) {
      case BITS16 -> addressSizePrefix ? 32 : 16;
      case BITS32 -> addressSizePrefix ? 16 : 32;
      case BITS64 -> addressSizePrefix ? 32 : 64;
    };
  }

  /** Offset of the ModRM byte, or -1. */
  public int modRmOffset() {
    return hasModRm() ? opcodeEnd : -1;
  }

  /** Offset of the displacement of a memory operand, or -1. */
  public int displacementOffset() {
    return displacementSize() == 0 ? -1 : length - immediateSize - displacementSize();
  }

  /** Bytes of the displacement of a memory operand: 0, 1, 2 or 4. */
  public int displacementSize() {
    if (!hasModRm()) {
      return 0;
    }
    int modRm = modRm();
    boolean sib =
        addressSize() != 16
            && modRm < 0xC0
            && (modRm & 7) == 4
            && (leaf & DecodeTables.ANY_MOD) == 0;
    return length - immediateSize - opcodeEnd - 1 - (sib ? 1 : 0);
  }

  /**
   * Offset of the immediate, or -1. Immediates are also relative targets, far pointers, the offsets
   * of MOV to and from the accumulator, and the last byte of 3DNow!.
   */
  public int immediateOffset() {
    return immediateSize == 0 ? -1 : length - immediateSize;
  }

  /** Bytes of all immediates. */
  public int immediateSize() {
    return immediateSize;
  }

  /**
   * Returns true if a memory operand is relative to the address after the instruction: its
   * displacement must be adjusted when the instruction moves.
   */
  public boolean isRipRelative() {
    return decoder.codeSize() == CodeSize.BITS64
        && hasModRm()
        && (leaf & DecodeTables.ANY_MOD) == 0
        && (modRm() & 0xC7) == 5;
  }

  private boolean hasModRm() {
    return length != 0 && (leaf & DecodeTables.MODRM) != 0;
  }

  /** Returns the byte after the opcode, whether it is ModRM or not. */
  int modRm() {
    return (int) (fromOpcode >>> 8) & 0xFF;
  }

  /** Returns the SIB byte, if ModRM requires one. */
  int sib() {
    return (int) (fromOpcode >>> 16) & 0xFF;
  }

  int opcode() {
    return (int) fromOpcode & 0xFF;
  }

  /**
   * The eight bytes that end with the instruction, so far as they belong to it: however long it is,
   * its immediate is on top, and the displacement below.
   */
  long lastBytes() {
    return length <= Long.BYTES
        ? fromOpcode << 8 * (Long.BYTES - 1 - length + opcodeEnd)
        : bytes.i64(at + length - Long.BYTES);
  }

  @Override
  public String toString() {
    if (length == 0) {
      return "no instruction: " + refusalText();
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(String.format("%02X ", bytes.u8(at + i)));
    }
    return text.append(flowClass()).toString();
  }
}
