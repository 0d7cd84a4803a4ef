package io.ntrail.formats.pt;

import static io.ntrail.formats.pt.PacketField.hex;
import static io.ntrail.formats.pt.PacketField.number;
import static io.ntrail.formats.pt.PacketField.special;

import io.ntrail.formats.pt.PacketField.Kind;
import java.util.Arrays;
import java.util.List;

/**
 * Kinds of packets: the table of opcodes, lengths and fields. Of rows that fit the same bytes, the
 * first one counts.
 */
public enum PacketType {
  /** Filler. */
  PAD("PAD", Opcode.first(0x00, 0xFF), 1),
  /** Timestamp counter, 56 bits. */
  TSC("TSC", Opcode.first(0x19, 0xFF), 8, hex("tsc", 1, 0, 56, 0)),
  /** Some bits of the crystal clock's counter. */
  MTC("MTC", Opcode.first(0x59, 0xFF), 2, number("ctc", 1, 0, 8)),
  /** Size of the code that follows. */
  MODE_EXEC(
      "MODE.Exec",
      Opcode.mode(0x00),
      2,
      number("csl", 1, 0, 1),
      number("csd", 1, 1, 1),
      number("if", 1, 2, 1),
      special("mode", Kind.CODE_SIZE)),
  /** Begin, commit or abort of a transaction. */
  MODE_TSX("MODE.TSX", Opcode.mode(0x20), 2, number("intx", 1, 0, 1), number("abort", 1, 1, 1)),
  /** Trigger. */
  TRIG(
      "TRIG",
      Opcode.first(0xD9, 0xFF),
      3,
      number("ip", 1, 7, 1),
      number("icntv", 1, 6, 1),
      number("mult", 1, 5, 1),
      number("trbv", 2, 0, 8),
      new PacketField("icnt", Kind.OPTIONAL, 3, 0, 16, 0)),
  /** Core cycles since the last CYC. */
  CYC("CYC", Opcode.first(0x03, 0x03), 1, special("cycles", Kind.CYCLES)),
  /** Results of 1 to 6 branches. */
  TNT8("TNT8", Opcode.first(0x00, 0x01), 1, special("bits", Kind.BRANCHES)),
  /** Target of a branch. */
  TIP("TIP", Opcode.first(0x0D, 0x1F), 1, ipBytes(), ip()),
  /** Start of tracing, with the address. */
  TIP_PGE("TIP.PGE", Opcode.first(0x11, 0x1F), 1, ipBytes(), ip()),
  /** End of tracing. */
  TIP_PGD("TIP.PGD", Opcode.first(0x01, 0x1F), 1, ipBytes(), ip()),
  /** Address where something happened. */
  FUP("FUP", Opcode.first(0x1D, 0x1F), 1, ipBytes(), ip()),
  /** Pattern to synchronise with. */
  PSB("PSB", Opcode.second(0x82, 0xFF), 16),
  /** End of the header that began with a PSB. */
  PSBEND("PSBEND", Opcode.second(0x23, 0xFF), 2),
  /** Overflow: packets were lost. */
  OVF("OVF", Opcode.second(0xF3, 0xFF), 2),
  /** Tracing was stopped by an address range. */
  TRACE_STOP("TraceStop", Opcode.second(0x83, 0xFF), 2),
  /** Results of 1 to 47 branches. */
  TNT64("TNT64", Opcode.second(0xA3, 0xFF), 8, special("bits", Kind.BRANCHES)),
  /** Address space: CR3. */
  PIP("PIP", Opcode.second(0x43, 0xFF), 8, hex("cr3", 2, 1, 47, 5), number("nr", 2, 0, 1)),
  /** Ratio of the core's clock to the bus clock. */
  CBR("CBR", Opcode.second(0x03, 0xFF), 4, number("ratio", 2, 0, 8)),
  /** Crystal clock's counter that belongs to the TSC before. */
  TMA("TMA", Opcode.second(0x73, 0xFF), 7, hex("ctc", 2, 0, 16, 0), hex("fc", 5, 0, 9, 0)),
  /** Control structure of a virtual machine. */
  VMCS("VMCS", Opcode.second(0xC8, 0xFF), 7, hex("base", 2, 0, 40, 12)),
  /** The core stopped executing. */
  EXSTOP("EXSTOP", Opcode.second(0x62, 0x7F), 2, number("ip", 1, 7, 1)),
  /** Hints of an MWAIT. */
  MWAIT("MWAIT", Opcode.second(0xC2, 0xFF), 10, hex("hints", 2, 0, 32, 0), hex("ext", 6, 0, 32, 0)),
  /** Entry of a power state. */
  PWRE(
      "PWRE",
      Opcode.second(0x22, 0xFF),
      4,
      number("hw", 2, 7, 1),
      number("sub", 3, 0, 4),
      number("state", 3, 4, 4)),
  /** Exit of a power state. */
  PWRX(
      "PWRX",
      Opcode.second(0xA2, 0xFF),
      7,
      number("deepest", 2, 0, 4),
      number("last", 2, 4, 4),
      hex("wake", 3, 0, 4, 0)),
  /** Operand of a PTWRITE. */
  PTW(
      "PTW",
      Opcode.second(0x12, 0x1F),
      2,
      number("ip", 1, 7, 1),
      special("payload", Kind.ITEM),
      special("size", Kind.OPERAND_SIZE)),
  /** Control flow event: what the branch that follows was. */
  CFE(
      "CFE",
      Opcode.second(0x13, 0xFF),
      4,
      number("ip", 2, 7, 1),
      number("type", 2, 0, 5),
      number("vector", 3, 0, 8)),
  /** Data of a control flow event. */
  EVD("EVD", Opcode.second(0x53, 0xFF), 11, number("type", 2, 0, 6), hex("payload", 3, 0, 64, 0)),
  /** Begin of a block of items. */
  BBP("BBP", Opcode.second(0x63, 0xFF), 3, number("sz", 2, 7, 1), number("type", 2, 0, 5)),
  /** End of a block. */
  BEP("BEP", Opcode.second(0x33, 0x7F), 2, number("ip", 1, 7, 1)),
  /** For maintenance; its meaning depends on the model. */
  MNT("MNT", Opcode.MAINTENANCE, 11, hex("payload", 3, 0, 64, 0)),
  /** Item of a block: only there, and instead of a TNT. */
  BIP("BIP", Opcode.NONE, 1, number("id", 0, 3, 5), special("payload", Kind.ITEM)),
  /** Bytes that are not a packet, up to the next PSB. */
  ERROR("ERROR", Opcode.NONE, 0);

  /**
   * Bytes by which a packet is recognised.
   *
   * @param table where: 0 in the first byte, 1 in the byte after 02, 2 in the leaf after 99, 3 in
   *     the byte after 02 C3, -1 nowhere
   * @param value bits under the mask
   * @param mask bits that count
   */
  record Opcode(int table, int value, int mask) {
    static final int FIRST = 0;
    static final int SECOND = 1;
    static final int LEAF = 2;
    static final int THIRD = 3;

    static final Opcode NONE = new Opcode(-1, 0, 0);
    static final Opcode MAINTENANCE = new Opcode(THIRD, 0x88, 0xFF);

    static Opcode first(int value, int mask) {
      return new Opcode(FIRST, value, mask);
    }

    static Opcode second(int value, int mask) {
      return new Opcode(SECOND, value, mask);
    }

    static Opcode mode(int leaf) {
      return new Opcode(LEAF, leaf, 0xE0);
    }

    boolean fits(int where, int value) {
      return where == table && (value & mask) == this.value;
    }
  }

  private final String label;
  private final int length;

  @SuppressWarnings("ImmutableEnumChecker")
  private final Opcode opcode;

  /** Unmodifiable. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final List<PacketField> fields;

  PacketType(String label, Opcode opcode, int length, PacketField... fields) {
    this.label = label;
    this.opcode = opcode;
    this.length = length;
    this.fields = List.of(fields);
  }

  private static PacketField ipBytes() {
    return number("ipc", 0, 5, 3);
  }

  private static PacketField ip() {
    return special("ip", Kind.ADDRESS);
  }

  /** Returns the name as Intel spells it; TNT8 and TNT64 are the short and the long TNT. */
  public String label() {
    return label;
  }

  /** Returns the fields in the order in which they are written. */
  public List<PacketField> fields() {
    return fields;
  }

  /** Returns the length in bytes; the least one if it differs, 0 for {@link #ERROR}. */
  public int length() {
    return length;
  }

  /** Returns true for the four packets that carry an address in their payload. */
  public boolean carriesIp() {
    return switch (this) {
      case TIP, TIP_PGE, TIP_PGD, FUP -> true;
      default -> false;
    };
  }

  /** Returns true for packets that tell of time, and fillers: they may stand anywhere. */
  public boolean isTiming() {
    return switch (this) {
      case PAD, TSC, MTC, TMA, CYC, CBR, MNT -> true;
      default -> false;
    };
  }

  /** Returns true for packets that tell the state with which the next address begins. */
  public boolean isState() {
    return switch (this) {
      case MODE_EXEC, PIP, VMCS -> true;
      default -> false;
    };
  }

  /** Returns true if a block of items goes on after such a packet. */
  boolean keepsBlock() {
    return switch (this) {
      case EXSTOP, PWRE, PWRX, BIP -> true;
      default -> isTiming();
    };
  }

  /**
   * Returns the table of the types by a byte: the number of a type, or -1.
   *
   * @param where one of the tables of {@link Opcode}
   */
  static byte[] table(int where) {
    byte[] types = new byte[256];
    Arrays.fill(types, (byte) -1);
    PacketType[] rows = values();
    for (int value = 0; value < types.length; value++) {
      for (int row = rows.length - 1; row >= 0; row--) {
        if (rows[row].opcode.fits(where, value)) {
          types[value] = (byte) row;
        }
      }
    }
    return types;
  }
}
