package io.ntrail.programs.memory;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Search;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Images at their addresses, and nothing between them. Where images overlap, which those of a
 * program do not, the one with the higher base counts from there on.
 */
public final class ImageSet implements AddressSpace {
  private final String name;
  private final List<ImageSpace> images;
  private final long[] bases;

  /**
   * Puts images side by side.
   *
   * @param name for messages
   */
  public ImageSet(String name, Collection<ImageSpace> images) {
    this.name = name;
    this.images =
        images.stream()
            .sorted(Comparator.comparingLong(image -> image.base() ^ Long.MIN_VALUE))
            .toList();
    this.bases = this.images.stream().mapToLong(ImageSpace::base).toArray();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return imageAt(address).flatMap(image -> image.regionAt(address));
  }

  /** Returns the image whose base is nearest below. */
  private Optional<ImageSpace> imageAt(long address) {
    int at = Search.floorUnsigned(bases, bases.length, address);
    return at >= 0 ? Optional.of(images.get(at)) : Optional.empty();
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    Optional<ImageSpace> image = imageAt(address);
    return image.isPresent()
        ? image.get().readUpTo(address, Math.min(most, toNextBase(address, most)))
        : Bytes.copyOf(new byte[0], name);
  }

  @Override
  public int missingFrom(long address, int most) {
    int missing = 0;
    while (missing < most) {
      long at = address + missing;
      int limit = toNextBase(at, most - missing);
      Optional<ImageSpace> image = imageAt(at);
      int here = image.isPresent() ? image.get().missingFrom(at, limit) : limit;
      missing += here;
      if (here < limit) {
        break;
      }
    }
    return missing;
  }

  /** Returns the number of bytes up to the next base, at most so many. */
  private int toNextBase(long address, int most) {
    int next = Search.floorUnsigned(bases, bases.length, address) + 1;
    long distance = next < bases.length ? bases[next] - address : -1;
    return Long.compareUnsigned(distance, most) < 0 ? (int) distance : most;
  }
}
