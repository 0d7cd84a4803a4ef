package io.ntrail.analysis.flow;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.elf.ElfImage;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ElfSpace;
import io.ntrail.programs.memory.PageSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The shared streams, by their names in the README beside them, with the code that they are of. */
final class RecordedStreams {
  private RecordedStreams() {}

  static byte[] bytes(String name) throws IOException {
    Path plain = TestData.file("pt/README.md").resolveSibling(name);
    return Files.exists(plain) ? Files.readAllBytes(plain) : TestData.gunzip("pt/" + name + ".gz");
  }

  private static InputFile open(String name) throws IOException {
    return InputFile.of(bytes(name), name);
  }

  static Set<Erratum> errata(String model) {
    String[] parts = model.split("/", -1);
    return parts.length == 3
        ? Erratum.of(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]))
        : Set.of();
  }

  private static AddressSpace code(String stream, List<InputFile> files) throws IOException {
    String elf =
        stream.startsWith("lldb/loop")
            ? "lldb/loop.a.out"
            : stream.startsWith("lldb/")
                ? "lldb/multicore-m.out"
                : stream.startsWith("dynamorio/") ? "dynamorio/hello.elf" : "";
    if (!elf.isEmpty()) {
      files.add(open(elf));
      ElfImage image = ElfImage.of(files.getLast());
      return new ElfSpace(image, image.lowest());
    }
    String base = stream.replaceFirst("(-[a-z-]+)?\\.pt$", "").replace("reencoded/", "xdc/");
    files.add(open(base + ".addr"));
    files.add(open(base + ".dump"));
    return new PageSpace(files.getFirst(), files.getLast());
  }

  /**
   * Follows a stream.
   *
   * @param model the processor, as family/model/stepping; anything else: none
   */
  static void follow(String stream, String model, Resync resync, FlowSink sink) throws IOException {
    follow(stream, bytes(stream), model, resync, sink);
  }

  /** Follows other packets through the code of a stream. */
  static void follow(String stream, byte[] content, String model, Resync resync, FlowSink sink)
      throws IOException {
    Set<Erratum> errata = errata(model);
    with(
        stream,
        content,
        (packets, code) ->
            new FlowDecoder(
                    PacketCursor.joined(packets, errata),
                    new CodeBlocks(code),
                    new FlowSettings(errata, resync, CodeSize.BITS64),
                    sink)
                .run());
  }

  /** Takes packets and the code of a stream. */
  interface Taker {
    void take(InputFile packets, AddressSpace code);
  }

  /** Opens other packets and the code of a stream. */
  static void with(String stream, byte[] content, Taker taker) throws IOException {
    List<InputFile> files = new ArrayList<>();
    try (InputFile packets = InputFile.of(content, stream)) {
      taker.take(packets, code(stream, files));
    } finally {
      files.forEach(InputFile::close);
    }
  }
}
