package io.ntrail.benchmarks;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.IntelSyntax;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.Operands;
import io.ntrail.testkit.code.CodeChunks;
import io.ntrail.testkit.code.Oracle;
import io.ntrail.testkit.code.PeCode;
import io.ntrail.testkit.code.Zydis;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The three depths of decoding every instruction of the functions of the largest x64 images of a
 * folder, beside Zydis over the same bytes: length and flow class beside its minimal mode, operands
 * beside all of its operands, text beside its formatter. They take turns. Processor time of one
 * thread.
 *
 * <p>Arguments: the number of rounds, a folder of images, an empty folder to work in.
 */
public final class DecodeBenchmark {
  private static final int IMAGES = 16;
  private static final int PASSES = 3;

  private DecodeBenchmark() {}

  /** Runs the rounds and prints a line for each of the two. */
  public static void main(String[] args) throws IOException {
    int rounds = Integer.parseInt(args[0]);
    Path work = Path.of(args[2]);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    long begun = System.nanoTime();
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
    double ready = (System.nanoTime() - begun) / 1e6;
    CodeChunks chunks = code(Path.of(args[1]));
    Zydis zydis = Zydis.in(work).orElseThrow(() -> new IllegalStateException(Zydis.MISSING));
    Path file = work.resolve("code");
    chunks.write(file);
    Bytes bytes = Bytes.copyOf(chunks.bytes(), "code");
    long[] counts = new long[FlowClass.values().length];
    double cold = millis(decoder, bytes, chunks, counts);
    long instructions = Arrays.stream(counts).sum();
    Map<Depth, List<Double>> ours = new EnumMap<>(Depth.class);
    Map<Depth, List<Double>> theirs = new EnumMap<>(Depth.class);
    for (int round = 0; round < rounds; round++) {
      for (Depth depth : Depth.values()) {
        List<Double> zydisTimes = theirs.computeIfAbsent(depth, _ -> new ArrayList<>());
        Oracle.run(
                work,
                zydis.program().toString(),
                "64",
                depth.zydisJob,
                file.toString(),
                Integer.toString(PASSES))
            .lines()
            .forEach(line -> zydisTimes.add(Double.parseDouble(line.split(" ", -1)[0])));
        List<Double> times = ours.computeIfAbsent(depth, _ -> new ArrayList<>());
        for (int pass = 0; pass < PASSES; pass++) {
          times.add(
              switch (depth) {
                case CLASS -> millis(decoder, bytes, chunks, counts);
                case OPERANDS -> operands(decoder, bytes, chunks);
                case TEXT -> text(decoder, bytes, chunks);
              });
        }
      }
    }
    double megabytes = chunks.size() / 1e6;
    out.printf(
        Locale.ROOT,
        "%.1f MB of code, %d instructions; decoder ready after %.1f ms, first pass %.1f MB/s%n",
        megabytes,
        instructions,
        ready,
        megabytes / cold * 1e3);
    out.printf("%-28s %10s %10s %12s%n", "MB/s of processor time", "median", "best", "million/s");
    for (Depth depth : Depth.values()) {
      List<Double> their = theirs.getOrDefault(depth, List.of());
      List<Double> our = ours.getOrDefault(depth, List.of());
      print(out, "Zydis, " + depth.zydisName, their, megabytes, instructions);
      print(out, depth.name, our, megabytes, instructions);
      out.printf(Locale.ROOT, "%-28s %10.2f%n", "ratio of medians", median(their) / median(our));
    }
  }

  /**
   * Operands of all instructions. A method of its own: who asks for these has no text beside them.
   */
  private static double operands(InstructionDecoder decoder, Bytes bytes, CodeChunks chunks) {
    Instruction instruction = new Instruction();
    Operands operands = new Operands();
    OperandReader reader = OperandReader.of(decoder);
    long sum = 0;
    long begun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    for (int i = 0; i < chunks.count(); i++) {
      int at = chunks.offsets()[i];
      int end = at + chunks.lengths()[i];
      while (at < end) {
        int length = decoder.decode(bytes, at, end, instruction);
        reader.read(instruction, operands);
        sum += operands.count();
        at += Math.max(1, length);
      }
    }
    return since(begun, sum);
  }

  /** Text of all instructions. */
  private static double text(InstructionDecoder decoder, Bytes bytes, CodeChunks chunks) {
    Instruction instruction = new Instruction();
    Operands operands = new Operands();
    OperandReader reader = OperandReader.of(decoder);
    long sum = 0;
    long begun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    for (int i = 0; i < chunks.count(); i++) {
      int at = chunks.offsets()[i];
      int end = at + chunks.lengths()[i];
      while (at < end) {
        int length = decoder.decode(bytes, at, end, instruction);
        reader.read(instruction, operands);
        sum += IntelSyntax.text(instruction, operands, at).length();
        at += Math.max(1, length);
      }
    }
    return since(begun, sum);
  }

  private static double since(long begun, long sum) {
    long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begun;
    if (sum < 0) {
      throw new IllegalStateException("what is not looked at need not be done");
    }
    return nanos / 1e6;
  }

  /** Depths of decoding, with what Zydis does beside it. */
  private enum Depth {
    CLASS("length and class", "minimal", "time"),
    OPERANDS("operands", "all operands", "time-full"),
    TEXT("text", "Intel syntax", "time-text");

    private final String name;
    private final String zydisName;
    private final String zydisJob;

    Depth(String name, String zydisName, String zydisJob) {
      this.name = name;
      this.zydisName = zydisName;
      this.zydisJob = zydisJob;
    }
  }

  private static CodeChunks code(Path folder) throws IOException {
    List<Path> images = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      files
          .filter(Files::isRegularFile)
          .sorted(Comparator.comparingLong((Path path) -> path.toFile().length()).reversed())
          .limit(IMAGES)
          .forEach(images::add);
    }
    List<byte[]> functions = new ArrayList<>();
    for (Path path : images) {
      byte[] image = Files.readAllBytes(path);
      if (PeCode.bits(image) == 64) {
        CodeChunks chunks = PeCode.of(image);
        for (int i = 0; i < chunks.count(); i++) {
          int at = chunks.offsets()[i];
          functions.add(Arrays.copyOfRange(image, at, at + chunks.lengths()[i]));
        }
      }
    }
    return CodeChunks.of(functions.toArray(byte[][]::new));
  }

  private static double millis(
      InstructionDecoder decoder, Bytes bytes, CodeChunks chunks, long[] counts) {
    Instruction instruction = new Instruction();
    long begun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    for (int i = 0; i < chunks.count(); i++) {
      int at = chunks.offsets()[i];
      int end = at + chunks.lengths()[i];
      while (at < end) {
        at += Math.max(1, decoder.decode(bytes, at, end, instruction));
        counts[instruction.flowClass().ordinal()]++;
      }
    }
    return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begun) / 1e6;
  }

  private static void print(
      PrintStream out, String name, List<Double> millis, double megabytes, long instructions) {
    double best = millis.stream().mapToDouble(m -> m).min().orElseThrow();
    out.printf(
        Locale.ROOT,
        "%-28s %10.1f %10.1f %12.1f%n",
        name,
        megabytes / median(millis) * 1e3,
        megabytes / best * 1e3,
        instructions / median(millis) / 1e3);
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }
}
