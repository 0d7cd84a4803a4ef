package io.ntrail.analysis.flow.recorded;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.TraceRecording;
import io.ntrail.testkit.pe.LoaderView;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A shared image at an address.
 *
 * @param file its bytes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RealImage(String name, byte[] file, PeImage image, long base) {
  private static final int PAGE = 0x1000;
  private static final int PE_OFFSET = 0x3C;

  static RealImage of(String path, long base) throws IOException {
    byte[] bytes = TestData.gunzip(path + ".gz");
    String name = path.substring(path.lastIndexOf('/') + 1);
    return new RealImage(name, bytes, PeImage.ofFile(InputFile.of(bytes, name)), base);
  }

  ImageSpace space() {
    return new ImageSpace(image, base);
  }

  long size() {
    return image.headers().sizeOfImage();
  }

  int stamp() {
    return (int) image.headers().timestamp();
  }

  /** Addresses of exported functions. */
  List<Long> exports() {
    return Exports.of(image).list().stream()
        .filter(export -> export.forward() == null && image.isExecutable(export.rva()))
        .map(export -> base + export.rva())
        .distinct()
        .toList();
  }

  /** Addresses of the functions of the exception directory. */
  List<Long> functions() {
    byte[] memory = LoaderView.map(file);
    int optional = (int) LittleEndian.getU32(memory, PE_OFFSET) + 24;
    int at = (int) LittleEndian.getU32(memory, optional + 112 + 3 * 8);
    int end = at + (int) LittleEndian.getU32(memory, optional + 112 + 3 * 8 + 4);
    List<Long> starts = new ArrayList<>();
    for (; at < end; at += 12) {
      starts.add(base + LittleEndian.getU32(memory, at));
    }
    return starts;
  }

  /** Puts it into a folder of images. */
  void saveTo(Path folder) throws IOException {
    Files.write(folder.resolve(name), file);
  }

  /** Puts code of it into a machine. */
  void loadInto(UnicornMachine machine, AddressSpace code) throws IOException {
    long end = base + (size() + PAGE - 1 & -PAGE) + PAGE;
    machine.map(base, end - base);
    long at = base;
    while (at < end) {
      at += code.missingFrom(at, (int) (end - at));
      Bytes piece = code.readUpTo(at, (int) Math.max(0, end - at));
      machine.write(at, piece.array(0, piece.length()));
      at += piece.length();
    }
  }

  /** Notes in a recording that it was there from the begin. */
  void foundIn(TraceRecording recording, int pid) {
    recording.found(pid, base, size(), stamp(), TraceRecording.systemPath(name));
  }
}
