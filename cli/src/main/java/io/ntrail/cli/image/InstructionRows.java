package io.ntrail.cli.image;

import io.ntrail.cli.common.CellWriter;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.Access;
import io.ntrail.programs.x86.DecodeError;
import io.ntrail.programs.x86.Effects;
import io.ntrail.programs.x86.Effects.MemoryUse;
import io.ntrail.programs.x86.Effects.RegisterUse;
import io.ntrail.programs.x86.Flag;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.IntelSyntax;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.OperandType;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.Register;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
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

  private static final List<String> CLASSES =
      Arrays.stream(FlowClass.values()).map(InstructionRows::inOneWord).toList();
  private static final List<String> FLAGS =
      Arrays.stream(Flag.values()).map(flag -> flag.name().toLowerCase(Locale.ROOT)).toList();

  private final InstructionDecoder decoder;
  private final OperandReader reader;
  private final LongFunction<String> names;
  private final @Nullable LongFunction<String> lines;
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  /** True if the effects are those of the row that was given last. */
  private boolean isKnown;

  /** Its effects; null if it is no instruction. */
  private @Nullable Effects effects;

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

  ListingColumns<Row> columns() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .hex("address", Row::address)
            .titled()
            .count("length", Row::length)
            .text("bytes", row -> Numbers.hex(row.code.array(row.at, Math.max(1, row.length))))
            .titled()
            .name("class", row -> row.isValid() ? className(instruction.flowClass()) : null)
            .name("mnemonic", row -> row.isValid() ? operands.mnemonic() : null)
            .text("text", row -> IntelSyntax.text(instruction, operands, row.address))
            .titled("instruction")
            .text("refersTo", this::refersTo)
            .titled("refers to")
            .value("operands", this::operands)
            .value("reads", (row, cell) -> uses(cell, effects(row), true))
            .value("writes", (row, cell) -> uses(cell, effects(row), false))
            .value("flags", (row, cell) -> flags(cell, effects(row)))
            .flag("valid", Row::isValid)
            .text(
                "reason",
                row ->
                    row.isValid() ? null : instruction.refusal().map(DecodeError::text).orElse(""));
    return lines == null ? columns : columns.value("line", InstructionRows::line).titled();
  }

  /** Gives one row per instruction, and one per byte that begins none. */
  void rows(Bytes code, long address, Consumer<Row> sink) {
    int at = 0;
    String before = "";
    while (at < code.length()) {
      int length = decoder.decode(code, at, code.length(), instruction);
      reader.read(instruction, operands);
      String line = lines == null ? "" : lines.apply(address + at);
      isKnown = false;
      sink.accept(new Row(code, at, length, address + at, line, line.equals(before)));
      before = line;
      at += Math.max(1, length);
    }
  }

  /** Returns the effects of an instruction; null if it is none. Only some forms show them. */
  private @Nullable Effects effects(Row row) {
    if (!isKnown) {
      isKnown = true;
      effects = row.isValid() ? Effects.of(instruction, operands) : null;
    }
    return effects;
  }

  /** People see a line once; programs with each instruction. */
  private static void line(Row row, CellWriter cell) {
    String line = row.line;
    cell.shaped(
        () -> row.repeated ? "" : line,
        json -> {
          if (line.isEmpty()) {
            json.text(null);
          } else {
            json.text(line);
          }
        });
  }

  private static String className(FlowClass flow) {
    return CLASSES.get(flow.ordinal());
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
  private @Nullable String refersTo(Row row) {
    if (!row.isValid()) {
      return null;
    }
    for (int i = 0; i < operands.count(); i++) {
      if (operands.type(i) == OperandType.RELATIVE) {
        return known(names.apply(instruction.branchTarget(row.address)));
      }
      if (operands.type(i) == OperandType.MEMORY && operands.isPointerRelative(i)) {
        return known(
            names.apply(row.address + instruction.length() + operands.memory(i).displacement()));
      }
    }
    return null;
  }

  private static @Nullable String known(String name) {
    return name.isEmpty() ? null : name;
  }

  private List<Operand> list(Row row) {
    return row.isValid() ? operands.list() : List.of();
  }

  private static boolean isRelative(Operand.InMemory memory) {
    return memory.base().map(Register::toString).filter(name -> name.endsWith("ip")).isPresent();
  }

  private void operands(Row row, CellWriter cell) {
    long target =
        row.isValid() && instruction.flowClass().hasTarget()
            ? instruction.branchTarget(row.address)
            : 0;
    cell.shaped(
        () -> "",
        json -> {
          json.array();
          list(row).forEach(operand -> operand(json, operand, row.address + row.length, target));
          json.endArray();
        });
  }

  private static void operand(Json json, Operand operand, long behind, long target) {
    json.object();
    switch (operand) {
      case Operand.InRegister(Register register) ->
          json.name("kind", "register").name("register", register.toString());
      case Operand.InMemory memory -> {
        json.name("kind", "memory")
            .number("bytes", memory.bytes())
            .name("segment", memory.segment().toString())
            .name("base", memory.base().map(Register::toString).orElse(null))
            .name("index", memory.index().map(Register::toString).orElse(null))
            .number("scale", memory.scale())
            .number("displacement", memory.displacement())
            .number("broadcast", memory.broadcast());
        if (isRelative(memory)) {
          json.text("address", Numbers.hex(behind + memory.displacement()));
        }
      }
      case Operand.Immediate(long value, int bits) ->
          json.name("kind", "immediate").number("value", value).number("bits", bits);
      case Operand.Relative(long offset) ->
          json.name("kind", "relative")
              .number("offset", offset)
              .text("target", Numbers.hex(target));
      case Operand.Far(int segment, long offset) ->
          json.name("kind", "far")
              .text("segment", Numbers.hex(segment))
              .text("offset", Numbers.hex(offset));
    }
    json.endObject();
  }

  /** Registers by name, once each, then memory. */
  private static List<String> uses(Effects effects, boolean reads) {
    Set<String> registers = new TreeSet<>();
    for (RegisterUse use : effects.registers()) {
      if (is(use.access(), reads)) {
        registers.add(use.register().toString());
      }
    }
    List<String> uses = new ArrayList<>(registers);
    for (MemoryUse use : effects.memory()) {
      if (is(use.access(), reads)) {
        uses.add(memory(use.memory()));
      }
    }
    return uses;
  }

  private static boolean is(Access access, boolean reads) {
    return reads ? access.reads() : access.writes();
  }

  private static String memory(Operand.InMemory memory) {
    StringBuilder text = new StringBuilder(memory.segment().toString()).append(":[");
    memory.base().ifPresent(text::append);
    memory
        .index()
        .ifPresent(index ->
            text.append(memory.base().isPresent() ? "+" : "")
                .append(index)
                .append('*')
                .append(memory.scale()));
    boolean alone = memory.base().isEmpty() && memory.index().isEmpty();
    if (alone) {
      text.append(Numbers.hex(memory.displacement()));
    } else if (memory.displacement() != 0) {
      text.append(memory.displacement() < 0 ? '-' : '+')
          .append(Numbers.hex(Math.abs(memory.displacement())));
    }
    return text.append(']').toString();
  }

  private static void uses(CellWriter cell, @Nullable Effects effects, boolean reads) {
    List<String> uses = effects == null ? List.of() : uses(effects, reads);
    cell.shaped(
        () -> String.join(" ", uses),
        json -> {
          json.array();
          uses.forEach(json::text);
          json.endArray();
        });
  }

  private static void flags(CellWriter cell, @Nullable Effects effects) {
    cell.shaped(
        () -> "",
        json -> {
          if (effects == null) {
            json.text(null);
            return;
          }
          json.object();
          flags(json, "read", effects.flagsRead());
          flags(json, "written", effects.flagsWritten());
          flags(json, "cleared", effects.flagsCleared());
          flags(json, "set", effects.flagsSet());
          flags(json, "undefined", effects.flagsUndefined());
          json.endObject();
        });
  }

  private static void flags(Json json, String key, Set<Flag> flags) {
    json.array(key);
    for (Flag flag : Flag.values()) {
      if (flags.contains(flag)) {
        json.name(FLAGS.get(flag.ordinal()));
      }
    }
    json.endArray();
  }
}
