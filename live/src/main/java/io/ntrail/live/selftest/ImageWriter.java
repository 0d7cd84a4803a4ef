package io.ntrail.live.selftest;

import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.Padding;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writer of an x64 image: code of an assembler, cut into functions with padding in front, which are
 * exported by name. It is written twice: the first draft tells where imports and data lie.
 */
final class ImageWriter {
  static final String KERNEL = "kernel32.dll";

  /** Address of data before it is known: a near one. */
  private static final long FAR = 0x10_0000;

  private static final int CODE_RVA = 0x1000;
  private static final int PADDING = 8;
  private static final int ALIGNMENT = 16;

  /** A function: what the unwinder knows of it, null for a leaf. */
  private record Function(
      String name, Label begin, Label end, @Nullable UnwindInfoBuilder unwind) {}

  /** A place that has a name in the image. */
  private record Place(int offset, String name) {}

  /** Code of an image. */
  interface Content {
    /** Writes the functions. */
    void write(ImageWriter writer);
  }

  private final long base;
  private final Map<String, Long> addresses;
  private final List<Function> functions = new ArrayList<>();
  final Assembler a = Assembler.x64();

  private ImageWriter(long base, Map<String, Long> addresses) {
    this.base = base;
    this.addresses = addresses;
  }

  /**
   * Returns an image.
   *
   * @param base its preferred address
   * @param empty makes the builder, with its imports and data, each time the same
   * @param names of imports and data that the code refers to
   */
  static byte[] file(long base, Empty empty, List<String> names, Content content) {
    PeBuilder.Built draft = build(base, empty.make(), Map.of(), content);
    Map<String, Long> addresses = new HashMap<>();
    for (String name : names) {
      addresses.put(name, base + draft.rva(name));
    }
    return build(base, empty.make(), addresses, content).file();
  }

  /** Source of a builder without code. */
  interface Empty {
    /** Makes it. */
    PeBuilder make();
  }

  /** Returns a builder of a program without code. */
  static PeBuilder program() {
    return PeBuilder.program(MachineType.AMD64);
  }

  private static PeBuilder.Built build(
      long base, PeBuilder builder, Map<String, Long> addresses, Content content) {
    ImageWriter writer = new ImageWriter(base, addresses);
    content.write(writer);
    AssembledCode code = writer.a.assemble();
    byte[] bytes = code.bytesAt(base + CODE_RVA);
    List<Place> places = new ArrayList<>();
    for (Function function : writer.functions) {
      places.add(new Place(code.offset(function.begin), function.name));
      places.add(new Place(code.offset(function.end), function.name + ", end"));
    }
    places.sort(Comparator.comparingInt(Place::offset));
    int done = 0;
    for (Place place : places) {
      builder.code().bytes(Arrays.copyOfRange(bytes, done, place.offset)).label(place.name);
      done = place.offset;
    }
    builder.code().bytes(Arrays.copyOfRange(bytes, done, bytes.length));
    for (Function function : writer.functions) {
      builder.exports(function.name, function.name);
      if (function.unwind != null) {
        builder.function(function.name, function.name + ", end", function.unwind);
      }
    }
    return builder.base(base).build();
  }

  /** Writes a function that has unwind information. */
  Label function(String name, Label begin, UnwindInfoBuilder unwind, Runnable body) {
    return put(name, begin, unwind, body);
  }

  /** Writes a function that calls nothing and leaves the stack alone. */
  Label leaf(String name, Label begin, Runnable body) {
    return put(name, begin, null, body);
  }

  private Label put(String name, Label begin, @Nullable UnwindInfoBuilder unwind, Runnable body) {
    Label end = a.label(name + ", end");
    a.pad(PADDING, Padding.INT3).align(ALIGNMENT, Padding.INT3).bind(begin);
    body.run();
    a.bind(end);
    functions.add(new Function(name, begin, end, unwind));
    return begin;
  }

  /** Returns a place in the data of the image. */
  Mem data(String name) {
    return Mem.rip(addresses.getOrDefault(name, base + FAR));
  }

  /** Returns the pointer to an imported function. */
  Mem imported(String function) {
    return data(KERNEL + "!" + function).as64();
  }

  /** Makes a frame for calls: {@code push rbx; sub rsp, 0x20}. */
  void enter() {
    a.push(RBX).sub(RSP, 0x20);
  }

  /** Undoes {@link #enter}, and returns. */
  void leave() {
    a.add(RSP, 0x20).pop(RBX).ret();
  }

  /** Returns the frame of a function that begins with {@code push rbx; sub rsp, 0x20}. */
  static UnwindInfoBuilder small() {
    return UnwindInfoBuilder.prologue(5).push(1, 3).allocate(5, 0x20);
  }
}
