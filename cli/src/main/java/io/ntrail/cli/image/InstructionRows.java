package io.ntrail.cli.image;

import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
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
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.Register;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Instructions as rows: where, which bytes, what, and what it reads and writes. */
final class InstructionRows {
  static final List<Column> COLUMNS =
      List.of(
          Column.number("address", "address"),
          Column.hidden("length"),
          Column.name("bytes", "bytes"),
          Column.hidden("class"),
          Column.hidden("mnemonic"),
          Column.name("text", "instruction"),
          Column.name("refersTo", "refers to"),
          Column.hidden("operands"),
          Column.hidden("reads"),
          Column.hidden("writes"),
          Column.hidden("flags"),
          Column.hidden("valid"),
          Column.hidden("reason"));

  private final InstructionDecoder decoder;
  private final OperandReader reader;
  private final LongFunction<String> names;
  private final @Nullable LongFunction<String> lines;
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  /**
   * Rows of what a decoder decodes.
   *
   * @param names what lies at an address, empty if nobody knows
   * @param lines of which line the instruction at an address is, empty if nobody knows; null: there
   *     is no column of it
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

  List<Column> columns() {
    if (lines == null) {
      return COLUMNS;
    }
    List<Column> columns = new ArrayList<>(COLUMNS);
    columns.add(Column.name("line", "line"));
    return columns;
  }

  /** One row an instruction, and one a byte that begins none. */
  void rows(Bytes code, long address, Consumer<List<Cell>> sink) {
    int at = 0;
    String before = "";
    while (at < code.length()) {
      int length = decoder.decode(code, at, code.length(), instruction);
      reader.read(instruction, operands);
      List<Cell> row = row(code, at, length, address + at);
      if (lines != null) {
        String line = lines.apply(address + at);
        row = new ArrayList<>(row);
        row.add(line(line, line.equals(before)));
        before = line;
      }
      sink.accept(row);
      at += Math.max(1, length);
    }
  }

  private List<Cell> row(Bytes code, int at, int length, long address) {
    boolean valid = length > 0;
    List<Operand> list = valid ? operands.list() : List.of();
    Effects effects = valid ? Effects.of(instruction, operands) : null;
    String refersTo = valid ? refersTo(list, address) : "";
    return List.of(
        new Cell.Hex(address),
        new Cell.Count(length),
        new Cell.Text(Numbers.hex(code.array(at, Math.max(1, length)))),
        new Cell.Text(valid ? className(instruction.flowClass()) : null),
        new Cell.Text(valid ? operands.mnemonic() : null),
        new Cell.Text(IntelSyntax.text(instruction, operands, address)),
        new Cell.Text(refersTo.isEmpty() ? null : refersTo),
        operands(list, address, length),
        effects == null ? texts(List.of()) : texts(uses(effects, true)),
        effects == null ? texts(List.of()) : texts(uses(effects, false)),
        flags(effects),
        new Cell.Flag(valid),
        new Cell.Text(valid ? null : instruction.refusal().map(DecodeError::text).orElse("")));
  }

  /** People see a line once; programs with each instruction. */
  private static Cell line(String line, boolean repeated) {
    return new Cell.Shaped(
        repeated || line.isEmpty() ? "" : line,
        json -> {
          if (line.isEmpty()) {
            json.text(null);
          } else {
            json.text(line);
          }
        });
  }

  /** {@code conditionalBranch}. */
  private static String className(FlowClass flow) {
    StringBuilder name = new StringBuilder();
    for (String word : flow.name().toLowerCase(Locale.ROOT).split("_", -1)) {
      name.append(
          name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return name.toString();
  }

  private String refersTo(List<Operand> list, long address) {
    for (Operand operand : list) {
      switch (operand) {
        case Operand.Relative _ -> {
          return names.apply(instruction.branchTarget(address));
        }
        case Operand.InMemory memory when isRelative(memory) -> {
          return names.apply(address + instruction.length() + memory.displacement());
        }
        default -> {}
      }
    }
    return "";
  }

  private static boolean isRelative(Operand.InMemory memory) {
    return memory.base().map(Register::toString).filter(name -> name.endsWith("ip")).isPresent();
  }

  private Cell operands(List<Operand> list, long address, int length) {
    long target =
        length > 0 && instruction.flowClass().hasTarget() ? instruction.branchTarget(address) : 0;
    return new Cell.Shaped(
        "",
        json -> {
          json.array();
          list.forEach(operand -> operand(json, operand, address + length, target));
          json.endArray();
        });
  }

  private static void operand(Json json, Operand operand, long behind, long target) {
    json.object();
    switch (operand) {
      case Operand.InRegister(Register register) ->
          json.text("kind", "register").text("register", register.toString());
      case Operand.InMemory memory -> {
        json.text("kind", "memory")
            .number("bytes", memory.bytes())
            .text("segment", memory.segment().toString())
            .text("base", memory.base().map(Register::toString).orElse(null))
            .text("index", memory.index().map(Register::toString).orElse(null))
            .number("scale", memory.scale())
            .number("displacement", memory.displacement())
            .number("broadcast", memory.broadcast());
        if (isRelative(memory)) {
          json.text("address", Numbers.hex(behind + memory.displacement()));
        }
      }
      case Operand.Immediate(long value, int bits) ->
          json.text("kind", "immediate").number("value", value).number("bits", bits);
      case Operand.Relative(long offset) ->
          json.text("kind", "relative")
              .number("offset", offset)
              .text("target", Numbers.hex(target));
      case Operand.Far(int segment, long offset) ->
          json.text("kind", "far")
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

  private static Cell texts(List<String> texts) {
    return new Cell.Shaped(
        String.join(" ", texts),
        json -> {
          json.array();
          texts.forEach(json::text);
          json.endArray();
        });
  }

  private static Cell flags(@Nullable Effects effects) {
    return new Cell.Shaped(
        "",
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
    new TreeSet<>(flags).forEach(flag -> json.text(flag.name().toLowerCase(Locale.ROOT)));
    json.endArray();
  }
}
