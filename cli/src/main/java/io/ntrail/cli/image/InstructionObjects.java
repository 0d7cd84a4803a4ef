package io.ntrail.cli.image;

import io.ntrail.cli.image.InstructionRows.Known;
import io.ntrail.cli.image.InstructionRows.Row;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.JsonLines;
import io.ntrail.cli.text.JsonRow;
import io.ntrail.programs.x86.Effects;
import io.ntrail.programs.x86.Flag;
import io.ntrail.programs.x86.FlagSet;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.Register;
import io.ntrail.programs.x86.RegisterClass;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Instructions as objects of JSON. Members that the bytes alone tell are made once for many. */
final class InstructionObjects {
  private static final List<String> FLAGS =
      Arrays.stream(Flag.values()).map(flag -> flag.name().toLowerCase(Locale.ROOT)).toList();

  private final InstructionRows rows;
  private final JsonRow json;
  private final JsonRow.Key address;
  private final JsonRow.Key length;
  private final JsonRow.Key bytes;
  private final JsonRow.Key flowClass;
  private final JsonRow.Key mnemonic;
  private final JsonRow.Key text;
  private final JsonRow.Key refersTo;
  private final JsonRow.Key operands;
  private final JsonRow.Key reads;
  private final JsonRow.Key writes;
  private final JsonRow.Key flags;
  private final JsonRow.Key valid;
  private final JsonRow.Key reason;
  private final JsonRow.Key line;
  private final JsonRow.Key kind;
  private final JsonRow.Key register;
  private final JsonRow.Key segment;
  private final JsonRow.Key base;
  private final JsonRow.Key index;
  private final JsonRow.Key scale;
  private final JsonRow.Key displacement;
  private final JsonRow.Key broadcast;
  private final JsonRow.Key value;
  private final JsonRow.Key bits;
  private final JsonRow.Key offset;
  private final JsonRow.Key target;
  private final JsonRow.Key read;
  private final JsonRow.Key written;
  private final JsonRow.Key cleared;
  private final JsonRow.Key set;
  private final JsonRow.Key undefined;

  /**
   * Objects of rows.
   *
   * @param json that each object is made in
   */
  InstructionObjects(InstructionRows rows, JsonRow json) {
    this.rows = rows;
    this.json = json;
    address = json.newKey("address");
    length = json.newKey("length");
    bytes = json.newKey("bytes");
    flowClass = json.newKey("class");
    mnemonic = json.newKey("mnemonic");
    text = json.newKey("text");
    refersTo = json.newKey("refersTo");
    operands = json.newKey("operands");
    reads = json.newKey("reads");
    writes = json.newKey("writes");
    flags = json.newKey("flags");
    valid = json.newKey("valid");
    reason = json.newKey("reason");
    line = json.newKey("line");
    kind = json.newKey("kind");
    register = json.newKey("register");
    segment = json.newKey("segment");
    base = json.newKey("base");
    index = json.newKey("index");
    scale = json.newKey("scale");
    displacement = json.newKey("displacement");
    broadcast = json.newKey("broadcast");
    value = json.newKey("value");
    bits = json.newKey("bits");
    offset = json.newKey("offset");
    target = json.newKey("target");
    read = json.newKey("read");
    written = json.newKey("written");
    cleared = json.newKey("cleared");
    set = json.newKey("set");
    undefined = json.newKey("undefined");
  }

  /**
   * Writes an array under a key.
   *
   * @param all gives the rows, one after the other
   */
  void array(Json to, String key, Consumer<Consumer<Row>> all) {
    to.array(key);
    all.accept(row -> to.row(of(row)));
    to.endArray();
  }

  /**
   * Writes a line per row.
   *
   * @param all gives the rows, one after the other
   */
  void lines(PrintStream out, Consumer<Consumer<Row>> all) {
    try (JsonLines lines = new JsonLines(out)) {
      all.accept(row -> of(row).line(lines));
    }
  }

  private JsonRow of(Row row) {
    json.begin().hex(address, row.address());
    Known known = rows.known(row);
    if (known == null) {
      members(row);
    } else {
      byte[] made = known.members();
      if (made == null) {
        int begin = json.size();
        members(row);
        known.keep(json.from(begin));
      } else {
        json.members(made);
      }
    }
    if (rows.hasLines()) {
      json.key(line).text(InstructionRows.line(row));
    }
    return json.endObject();
  }

  /** Writes the members between the address and the line. */
  private void members(Row row) {
    boolean isValid = row.isValid();
    json.number(length, row.length());
    json.key(bytes).bytes(row.code(), row.at(), Math.max(1, row.length()));
    json.key(flowClass).name(rows.className(row)).key(mnemonic).name(rows.mnemonic(row));
    json.key(text).text(rows.text(row)).key(refersTo).text(rows.refersTo(row));
    json.key(operands).array();
    if (isValid) {
      operands(row);
    }
    json.endArray().key(reads);
    uses(row, true);
    json.key(writes);
    uses(row, false);
    json.key(flags);
    flags(row);
    json.key(valid).bool(isValid);
    json.key(reason).text(isValid ? null : rows.instruction().refusalText());
  }

  private void operands(Row row) {
    Instruction instruction = rows.instruction();
    FlowClass flow = instruction.flowClass();
    long goal = flow.hasTarget() ? instruction.branchTarget(row.address()) : 0;
    Operands all = rows.operands();
    for (int i = 0; i < all.count(); i++) {
      operand(all.get(i), row.address() + row.length(), goal);
    }
  }

  private void operand(Operand operand, long behind, long goal) {
    json.element().object().key(kind);
    // No switch over types: it is made at its first use, at every start anew.
    if (operand instanceof Operand.InRegister in) {
      json.name("register").key(register).name(in.register().toString());
    } else if (operand instanceof Operand.InMemory memory) {
      json.name("memory");
      memory(memory, behind);
    } else if (operand instanceof Operand.Immediate immediate) {
      json.name("immediate").number(value, immediate.value()).number(bits, immediate.bits());
    } else if (operand instanceof Operand.Relative relative) {
      json.name("relative").number(offset, relative.offset()).hex(target, goal);
    } else {
      Operand.Far far = (Operand.Far) operand;
      json.name("far").hex(segment, far.segment()).hex(offset, far.offset());
    }
    json.endObject();
  }

  private void memory(Operand.InMemory memory, long behind) {
    json.number(bytes, memory.bytes()).key(segment).name(memory.segment().toString());
    json.key(base).name(name(memory.base())).key(index).name(name(memory.index()));
    json.number(scale, memory.scale()).number(displacement, memory.displacement());
    json.number(broadcast, memory.broadcast());
    if (memory.base().isPresent() && memory.base().get().type() == RegisterClass.POINTER) {
      json.hex(address, behind + memory.displacement());
    }
  }

  private static @Nullable String name(Optional<Register> register) {
    return register.isPresent() ? register.get().toString() : null;
  }

  private void uses(Row row, boolean isRead) {
    json.array();
    List<String> all = rows.used(row, isRead);
    for (int i = 0; i < all.size(); i++) {
      json.element().text(all.get(i));
    }
    json.endArray();
  }

  private void flags(Row row) {
    Effects effects = rows.effects(row);
    if (effects == null) {
      json.unknown();
      return;
    }
    json.object();
    flags(read, effects.flagsRead());
    flags(written, effects.flagsWritten());
    flags(cleared, effects.flagsCleared());
    flags(set, effects.flagsSet());
    flags(undefined, effects.flagsUndefined());
    json.endObject();
  }

  private void flags(JsonRow.Key key, FlagSet all) {
    json.key(key).array();
    for (Flag flag : all) {
      json.element().name(FLAGS.get(flag.ordinal()));
    }
    json.endArray();
  }
}
