package io.ntrail.cli.image;

import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.Access;
import io.ntrail.programs.x86.Effects;
import io.ntrail.programs.x86.Effects.MemoryUse;
import io.ntrail.programs.x86.Effects.RegisterUse;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.IntelSyntax;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.OperandType;
import io.ntrail.programs.x86.Operands;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Instructions as rows: where, which bytes, what, and what it reads and writes. */
final class InstructionRows {
  /**
   * An instruction, or a byte that is not the start of one. The instruction and its operands are
   * those that were read last.
   *
   * @param length of the instruction; 0 if there is none
   * @param line in the source code; empty if unknown
   * @param repeated whether the row before has that line, too
   */
  record Row(Bytes code, int at, int length, long address, String line, boolean repeated) {
    boolean isValid() {
      return length > 0;
    }
  }

  /** Places for instructions whose text, and members in JSON, are kept. */
  private static final int KEPT = 1 << 13;

  private static final List<String> CLASSES =
      Arrays.stream(FlowClass.values()).map(InstructionRows::inOneWord).toList();

  /** Answers about an instruction that its bytes alone tell, wherever it is. */
  static final class Known {
    private final long low;
    private final long high;
    private final String text;
    private byte @Nullable [] members;

    private Known(long low, long high, String text) {
      this.low = low;
      this.high = high;
      this.text = text;
    }

    /** Returns its members in JSON; null: they were not made yet. */
    byte @Nullable [] members() {
      return members;
    }

    void keep(byte[] made) {
      members = made;
    }
  }

  private final InstructionDecoder decoder;
  private final OperandReader reader;
  private final LongFunction<String> names;
  private final @Nullable LongFunction<String> lines;
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();
  private final @Nullable Known[] kept = new @Nullable Known[KEPT];

  /** True if the operands are those of the row that was given last. */
  private boolean areRead;

  /** True if its effects were found. */
  private boolean areFound;

  /** Its effects; null if it is no instruction. */
  private @Nullable Effects effects;

  /** True if it was looked for among those that are kept. */
  private boolean isLookedFor;

  private @Nullable Known known;

  /**
   * Rows of what a decoder decodes.
   *
   * @param names what lies at an address, empty if unknown
   * @param lines of which line the instruction at an address is, empty if unknown; null: there is
   *     no column of it
   */
  InstructionRows(
      InstructionDecoder decoder,
      LongFunction<String> names,
      @Nullable LongFunction<String> lines) {
    this.lines = lines;
    this.decoder = decoder;
    this.reader = OperandReader.of(decoder);
    this.names = names;
  }

  /** Columns for people and of CSV: JSON is of {@link InstructionObjects}. */
  ListingColumns<Row> columns() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .hex("address", Row::address)
            .titled()
            .count("length", Row::length)
            .value("bytes", (row, cell) -> cell.bytes(row.code, row.at, Math.max(1, row.length)))
            .titled()
            .name("class", this::className)
            .name("mnemonic", this::mnemonic)
            .text("text", this::text)
            .titled("instruction")
            .text("refersTo", this::refersTo)
            .titled("refers to")
            .text("reads", row -> String.join(" ", used(row, true)))
            .text("writes", row -> String.join(" ", used(row, false)))
            .flag("valid", Row::isValid)
            .text("reason", row -> row.isValid() ? null : instruction.refusalText());
    return hasLines()
        ? columns.text("line", InstructionRows::line).titled().shown(InstructionRows::shown)
        : columns;
  }

  /** Gives one row per instruction, and one per byte that begins none. */
  void rows(Bytes code, long address, Consumer<Row> sink) {
    int at = 0;
    String before = "";
    while (at < code.length()) {
      int length = decoder.decode(code, at, code.length(), instruction);
      String line = lines == null ? "" : lines.apply(address + at);
      areRead = false;
      areFound = false;
      isLookedFor = false;
      sink.accept(new Row(code, at, length, address + at, line, line.equals(before)));
      before = line;
      at += Math.max(1, length);
    }
  }

  /** Returns true if the lines of the source are known. */
  boolean hasLines() {
    return lines != null;
  }

  /** Returns the instruction of the row that was given last. */
  Instruction instruction() {
    return instruction;
  }

  /** Returns its operands. */
  Operands operands() {
    if (!areRead) {
      areRead = true;
      reader.read(instruction, operands);
    }
    return operands;
  }

  /** Returns the effects of an instruction; null if it is none. Only some forms show them. */
  @Nullable Effects effects(Row row) {
    if (!areFound) {
      areFound = true;
      effects = row.isValid() ? Effects.of(instruction, operands()) : null;
    }
    return effects;
  }

  /**
   * Returns what is kept of instructions with these bytes; null if the bytes are no instruction, or
   * one whose meaning depends on its address. Of wined3d.dll 55 % of all instructions are found
   * here.
   */
  @Nullable Known known(Row row) {
    if (!isLookedFor) {
      isLookedFor = true;
      known = row.isValid() ? find(row) : null;
    }
    return known;
  }

  private @Nullable Known find(Row row) {
    int length = row.length;
    long low = word(row.code, row.at, Math.min(length, Long.BYTES));
    long high = word(row.code, row.at + Long.BYTES, length - Long.BYTES) | (long) length << 56;
    long mixed = (low * 0x9E3779B97F4A7C15L ^ high) * 0xD6E8FEB86659FD93L;
    int slot = (int) (mixed >>> Long.SIZE - Integer.numberOfTrailingZeros(KEPT));
    Known last = kept[slot];
    if (last != null && last.low == low && last.high == high) {
      return last;
    }
    if (isRelative()) {
      return null;
    }
    Known made = new Known(low, high, IntelSyntax.text(instruction, operands(), row.address));
    kept[slot] = made;
    return made;
  }

  /** Returns so many bytes as a number. */
  private static long word(Bytes code, int at, int length) {
    if (length <= 0) {
      return 0;
    }
    int unused = Long.SIZE - Byte.SIZE * length;
    return code.word(at, length) << unused >>> unused;
  }

  private boolean isRelative() {
    Operands all = operands();
    for (int i = 0; i < all.count(); i++) {
      if (all.type(i) == OperandType.RELATIVE || isPointerRelative(all, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isPointerRelative(Operands all, int operand) {
    return all.type(operand) == OperandType.MEMORY && all.isPointerRelative(operand);
  }

  /** People see a line once; programs with each instruction. */
  private static String shown(Row row) {
    return row.repeated ? "" : row.line;
  }

  static @Nullable String line(Row row) {
    return known(row.line);
  }

  @Nullable String className(Row row) {
    return row.isValid() ? CLASSES.get(instruction.flowClass().ordinal()) : null;
  }

  @Nullable String mnemonic(Row row) {
    return row.isValid() ? operands().mnemonic() : null;
  }

  String text(Row row) {
    Known its = known(row);
    return its == null ? IntelSyntax.text(instruction, operands(), row.address) : its.text;
  }

  /** {@code conditionalBranch}. */
  private static String inOneWord(FlowClass flow) {
    StringBuilder name = new StringBuilder();
    for (String word : flow.name().toLowerCase(Locale.ROOT).split("_", -1)) {
      name.append(
          name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return name.toString();
  }

  /** Returns the name of the place that an instruction refers to; null if it has none. */
  @Nullable String refersTo(Row row) {
    if (!row.isValid() || known(row) != null) {
      return null;
    }
    Operands all = operands();
    for (int i = 0; i < all.count(); i++) {
      if (all.type(i) == OperandType.RELATIVE) {
        return known(names.apply(instruction.branchTarget(row.address)));
      }
      if (isPointerRelative(all, i)) {
        return known(
            names.apply(row.address + instruction.length() + all.memory(i).displacement()));
      }
    }
    return null;
  }

  private static @Nullable String known(String name) {
    return name.isEmpty() ? null : name;
  }

  private static List<String> uses(Effects effects, boolean reads) {
    List<String> uses = new ArrayList<>();
    for (RegisterUse use : effects.registers()) {
      if (is(use.access(), reads)) {
        String register = use.register().toString();
        int at = uses.size();
        while (at > 0 && uses.get(at - 1).compareTo(register) > 0) {
          at--;
        }
        if (at == 0 || !uses.get(at - 1).equals(register)) {
          uses.add(at, register);
        }
      }
    }
    for (MemoryUse use : effects.memory()) {
      if (is(use.access(), reads)) {
        uses.add(text(use.memory()));
      }
    }
    return uses;
  }

  private static boolean is(Access access, boolean reads) {
    return reads ? access.reads() : access.writes();
  }

  private static String text(Operand.InMemory memory) {
    StringBuilder text = new StringBuilder(memory.segment().toString()).append(":[");
    if (memory.base().isPresent()) {
      text.append(memory.base().get());
    }
    if (memory.index().isPresent()) {
      text.append(memory.base().isPresent() ? "+" : "")
          .append(memory.index().get())
          .append('*')
          .append(memory.scale());
    }
    boolean alone = memory.base().isEmpty() && memory.index().isEmpty();
    if (alone) {
      text.append(Numbers.hex(memory.displacement()));
    } else if (memory.displacement() != 0) {
      text.append(memory.displacement() < 0 ? '-' : '+')
          .append(Numbers.hex(Math.abs(memory.displacement())));
    }
    return text.append(']').toString();
  }

  /** Returns what an instruction reads or writes: registers by name, once each, then memory. */
  List<String> used(Row row, boolean reads) {
    Effects its = effects(row);
    return its == null ? List.of() : uses(its, reads);
  }
}
