package io.ntrail.programs.image;

import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.HybridMetadata;
import io.ntrail.formats.pe.HybridMetadata.Code;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.ArmFunctions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Code for ARM processors in an image, which nothing here decodes or unwinds: all of an ARM image,
 * or a part of a hybrid one, whose headers name another machine.
 */
public final class ArmCode {
  private final int machine;
  private final boolean hybrid;
  private final long entries;

  /** Ranges of a hybrid image, ascending and apart from one another. */
  private final List<CodeRanges.Range> ranges;

  private final long[] begins;

  private ArmCode(int machine, boolean hybrid, long entries, List<CodeRanges.Range> ranges) {
    this.machine = machine;
    this.hybrid = hybrid;
    this.entries = entries;
    this.ranges = ranges;
    this.begins = ranges.stream().mapToLong(CodeRanges.Range::begin).toArray();
  }

  /** Returns that of an image; what cannot be read of it is a gap of the image. */
  public static ArmCode of(PeImage image, Optional<LoadConfig> config) {
    int machine = image.headers().machine();
    boolean known = MachineType.isX86(machine) || machine == MachineType.ARM64;
    boolean hybrid =
        known && config.map(c -> c.rva(LoadConfig.Field.CHPE_METADATA_POINTER) != 0).orElse(false);
    Optional<HybridMetadata> metadata = hybrid ? HybridMetadata.of(image) : Optional.empty();
    List<CodeRanges.Range> ranges = new ArrayList<>();
    metadata
        .map(HybridMetadata::ranges)
        .orElse(List.of())
        .forEach(range -> {
          boolean arm = range.code() == Code.ARM64 || range.code() == Code.ARM64EC;
          if (arm && range.length() > 0) {
            ranges.add(new CodeRanges.Range(range.begin(), range.begin() + range.length()));
          }
        });
    return new ArmCode(
        machine, hybrid, entries(image, hybrid, metadata), CodeRanges.joined(ranges));
  }

  /** Returns the number of entries of the function table of ARM code, wherever that is. */
  private static long entries(PeImage image, boolean hybrid, Optional<HybridMetadata> metadata) {
    if (!hybrid || image.headers().machine() == MachineType.ARM64) {
      return ArmFunctions.of(image).size();
    }
    // The exception directory of a hybrid image for x86, which has none of its own, is for ARM64.
    DataDirectory.Range table =
        image.headers().machine() == MachineType.I386
            ? image.directory(DataDirectory.EXCEPTION)
            : metadata.map(HybridMetadata::extraFunctions).orElse(DataDirectory.Range.NONE);
    return table.isPresent() ? ArmFunctions.of(image, table, false).size() : 0;
  }

  /** Returns the kind of a hybrid image: CHPE, ARM64EC or ARM64X; empty if it is none. */
  public Optional<String> hybrid() {
    return hybrid
        ? Optional.of(
            switch (machine) {
              case MachineType.I386 -> "CHPE";
              case MachineType.AMD64 -> "ARM64EC";
              default -> "ARM64X";
            })
        : Optional.empty();
  }

  /** Returns the name of the code: ARM64EC of such a hybrid image, else the machine. */
  public String name() {
    return hybrid && machine == MachineType.AMD64
        ? "ARM64EC"
        : hybrid && machine == MachineType.I386 ? "ARM64" : MachineType.text(machine);
  }

  /** Returns the number of entries of its function table. */
  public long entries() {
    return entries;
  }

  /** Returns true if an RVA of code is in it. */
  public boolean contains(long rva) {
    if (machine == MachineType.ARM64 || machine == MachineType.ARMNT) {
      return true;
    }
    int i = Search.floor(begins, begins.length, rva);
    return i >= 0 && rva < ranges.get(i).end();
  }

  /** Returns the bytes of a range of a hybrid image that are in it. */
  public long bytes(long begin, long end) {
    if (ranges.isEmpty() || end <= begin) {
      return 0;
    }
    long bytes = end - begin;
    for (CodeRanges.Range other : others(begin, end)) {
      bytes -= other.end() - other.begin();
    }
    return bytes;
  }

  /** Returns the bytes of a hybrid image that are in it. */
  public long bytes() {
    return ranges.stream().mapToLong(range -> range.end() - range.begin()).sum();
  }

  /** Returns the pieces of a range that are in none of it, in a hybrid image. */
  public List<CodeRanges.Range> others(long begin, long end) {
    if (ranges.isEmpty()) {
      return List.of(new CodeRanges.Range(begin, end));
    }
    List<CodeRanges.Range> others = new ArrayList<>();
    long at = begin;
    for (int i = Math.max(0, Search.floor(begins, begins.length, begin));
        i < begins.length && begins[i] < end;
        i++) {
      CodeRanges.Range range = ranges.get(i);
      if (range.end() <= at) {
        continue;
      }
      if (range.begin() > at) {
        others.add(new CodeRanges.Range(at, range.begin()));
      }
      at = range.end();
    }
    if (at < end) {
      others.add(new CodeRanges.Range(at, end));
    }
    return others;
  }
}
