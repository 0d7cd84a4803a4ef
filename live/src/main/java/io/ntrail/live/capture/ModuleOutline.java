package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.memory.AddressSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reader of the parts of a module in memory that tell which build it is: some kilobytes of it. */
final class ModuleOutline {
  private static final int PAGE = 0x1000;
  private static final int MOST = 0x1_0000;
  private static final int ENTRY = 28;

  private ModuleOutline() {}

  /**
   * Returns an image that has the headers, the debug directory and the CodeView records of a
   * module, and nothing else; empty if there is no image.
   */
  static Optional<PeImage> of(AddressSpace memory, TargetModule module) {
    List<Extent> extents = new ArrayList<>();
    try {
      add(extents, memory, module, 0, PAGE);
      Range debug = image(module, extents).directory(DataDirectory.DEBUG);
      Bytes entries =
          add(extents, memory, module, debug.rva(), debug.isPresent() ? debug.size() : 0);
      for (int at = 0; at + ENTRY <= entries.length(); at += ENTRY) {
        if (entries.u32(at + 12) == DebugDirectory.CODEVIEW) {
          add(extents, memory, module, entries.u32(at + 20), entries.u32(at + 16));
        }
      }
      return Optional.of(image(module, extents));
    } catch (CannotGoOn | DamagedInput e) {
      return Optional.empty();
    }
  }

  private static PeImage image(TargetModule module, List<Extent> extents) {
    return PeImage.ofMemory(ImageView.of(module.name(), extents));
  }

  private static Bytes add(
      List<Extent> extents, AddressSpace memory, TargetModule module, long rva, long size) {
    Bytes bytes = memory.readUpTo(module.base() + rva, (int) Math.min(size, MOST));
    if (bytes.length() > 0) {
      extents.add(new Extent(rva, bytes.length(), bytes));
    }
    return bytes;
  }
}
