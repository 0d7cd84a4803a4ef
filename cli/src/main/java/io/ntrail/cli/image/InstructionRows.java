package io.ntrail.cli.image;

import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.Access;
import io.ntrail.programs.x86.Effects;
import io.ntrail.programs.x86.Effects.MemoryUse;
import io.ntrail.programs.x86.Effects.RegisterUse;
import io.ntrail.programs.x86.Flag;
import io.ntrail.programs.x86.FlagSet;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.IntelSyntax;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.OperandType;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.Register;
import io.ntrail.programs.x86.RegisterClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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

  private static final Json.Key KIND = new Json.Key("kind");
  private static final Json.Key REGISTER = new Json.Key("register");
  private static final Json.Key BYTES = new Json.Key("bytes");
  private static final Json.Key SEGMENT = new Json.Key("segment");
  private static final Json.Key BASE = new Json.Key("base");
  private static final Json.Key INDEX = new Json.Key("index");
  private static final Json.Key SCALE = new Json.Key("scale");
  private static final Json.Key DISPLACEMENT = new Json.Key("displacement");
  private static final Json.Key BROADCAST = new Json.Key("broadcast");
  private static final Json.Key ADDRESS = new Json.Key("address");
  private static final Json.Key VALUE = new Json.Key("value");
  private static final Json.Key BITS = new Json.Key("bits");
  private static final Json.Key OFFSET = new Json.Key("offset");
  private static final Json.Key TARGET = new Json.Key("target");
  private static final Json.Key READ = new Json.Key("read");
  private static final Json.Key WRITTEN = new Json.Key("written");
  private static final Json.Key CLEARED = new Json.Key("cleared");
  private static final Json.Key SET = new Json.Key("set");
  private static final Json.Key UNDEFINED = new Json.Key("undefined");

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
            .value("bytes", (row, cell) -> cell.bytes(row.code, row.at, Math.max(1, row.length)))
            .titled()
            .name("class", row -> row.isValid() ? className(instruction.flowClass()) : null)
            .name("mnemonic", row -> row.isValid() ? operands.mnemonic() : null)
            .text("text", row -> IntelSyntax.text(instruction, operands, row.address))
            .titled("instruction")
            .text("refersTo", this::refersTo)
            .titled("refers to")
            .shaped("operands", _ -> "", this::operands)
            .onlyJson()
            .shaped("reads", row -> uses(row, true), (row, json) -> uses(json, row, true))
            .shaped("writes", row -> uses(row, false), (row, json) -> uses(json, row, false))
            .shaped("flags", _ -> "", this::flags)
            .onlyJson()
            .flag("valid", Row::isValid)
            .text("reason", row -> row.isValid() ? null : instruction.refusalText());
    return lines == null
        ? columns
        : columns.text("line", InstructionRows::line).titled().shown(InstructionRows::shown);
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
  private static String shown(Row row) {
    return row.repeated ? "" : row.line;
  }

  private static @Nullable String line(Row row) {
    return known(row.line);
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

  private static boolean isRelative(Operand.InMemory memory) {
    return memory.base().isPresent() && memory.base().get().type() == RegisterClass.POINTER;
  }

  private void operands(Row row, Json json) {
    json.array();
    if (row.isValid()) {
      boolean hasTarget = instruction.flowClass().hasTarget();
      long target = hasTarget ? instruction.branchTarget(row.address) : 0;
      for (Operand operand : operands.list()) {
        operand(json, operand, row.address + row.length, target);
      }
    }
    json.endArray();
  }

  private static void operand(Json json, Operand operand, long behind, long target) {
    json.object();
    // No switch over types: it is made at its first use, at every start anew.
    if (operand instanceof Operand.InRegister in) {
      json.key(KIND).name("register").key(REGISTER).name(in.register().toString());
    } else if (operand instanceof Operand.InMemory memory) {
      memory(json, memory, behind);
    } else if (operand instanceof Operand.Immediate immediate) {
      json.key(KIND).name("immediate");
      json.key(VALUE).number(immediate.value()).key(BITS).number(immediate.bits());
    } else if (operand instanceof Operand.Relative relative) {
      json.key(KIND).name("relative");
      json.key(OFFSET).number(relative.offset()).key(TARGET).hex(target);
    } else {
      Operand.Far far = (Operand.Far) operand;
      json.key(KIND).name("far").text("segment", Numbers.hex(far.segment()));
      json.key(OFFSET).hex(far.offset());
    }
    json.endObject();
  }

  private static void memory(Json json, Operand.InMemory memory, long behind) {
    json.key(KIND).name("memory").key(BYTES).number(memory.bytes());
    json.key(SEGMENT).name(memory.segment().toString());
    json.key(BASE).name(name(memory.base())).key(INDEX).name(name(memory.index()));
    json.key(SCALE).number(memory.scale());
    json.key(DISPLACEMENT).number(memory.displacement());
    json.key(BROADCAST).number(memory.broadcast());
    if (isRelative(memory)) {
      json.key(ADDRESS).hex(behind + memory.displacement());
    }
  }

  private static @Nullable String name(Optional<Register> register) {
    return register.isPresent() ? register.get().toString() : null;
  }

  /** Registers by name, once each, then memory. */
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

  private List<String> used(Row row, boolean reads) {
    Effects known = effects(row);
    return known == null ? List.of() : uses(known, reads);
  }

  private String uses(Row row, boolean reads) {
    return String.join(" ", used(row, reads));
  }

  private void uses(Json json, Row row, boolean reads) {
    json.array();
    for (String use : used(row, reads)) {
      json.text(use);
    }
    json.endArray();
  }

  private void flags(Row row, Json json) {
    Effects known = effects(row);
    if (known == null) {
      json.text(null);
      return;
    }
    json.object();
    flags(json, READ, known.flagsRead());
    flags(json, WRITTEN, known.flagsWritten());
    flags(json, CLEARED, known.flagsCleared());
    flags(json, SET, known.flagsSet());
    flags(json, UNDEFINED, known.flagsUndefined());
    json.endObject();
  }

  private static void flags(Json json, Json.Key key, FlagSet flags) {
    json.key(key).array();
    for (Flag flag : flags) {
      json.name(FLAGS.get(flag.ordinal()));
    }
    json.endArray();
  }
}
