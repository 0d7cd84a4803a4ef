package io.ntrail.programs.kernelcode;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.Search;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.MemoryRegion.Access;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The bytes that a kernel wrote, a few at a time, and nothing between them: the layer above an
 * image. May be used by several threads that may use the image.
 */
final class RewrittenBytes implements AddressSpace {
  private static final String PAGE_NAME = "retpoline page (synthetic)";

  private final AddressSpace image;
  private final long base;
  private final long pageRva;
  private final long[] rvas;
  private final List<byte[]> pieces;

  private RewrittenBytes(
      AddressSpace image, long base, long pageRva, long[] rvas, List<byte[]> pieces) {
    this.image = image;
    this.base = base;
    this.pageRva = pageRva;
    this.rvas = rvas;
    this.pieces = List.copyOf(pieces);
  }

  /** Collects pieces that do not overlap, in the order of their RVAs. */
  static final class Builder {
    private final LongList rvas = new LongList();
    private final List<byte[]> pieces = new ArrayList<>();

    void add(long rva, byte[] bytes) {
      rvas.add(rva);
      pieces.add(bytes);
    }

    RewrittenBytes over(AddressSpace image, long base, long pageRva) {
      return new RewrittenBytes(image, base, pageRva, rvas.toArray(), pieces);
    }
  }

  @Override
  public String name() {
    return image.name();
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    long rva = address - base;
    if (at(rva) < 0) {
      return Optional.empty();
    }
    return rva < pageRva
        ? image.regionAt(address)
        : Optional.of(
            new MemoryRegion(
                base + pageRva,
                RetpolinePage.SIZE,
                Set.of(Access.READ, Access.EXECUTE),
                PAGE_NAME));
  }

  /** Returns the index of the piece that has a byte, or -1. */
  private int at(long rva) {
    int piece = Search.floor(rvas, rvas.length, rva);
    return piece >= 0 && rva - rvas[piece] < pieces.get(piece).length ? piece : -1;
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    long rva = address - base;
    int piece = at(rva);
    if (piece < 0) {
      return Bytes.copyOf(new byte[0], name());
    }
    byte[] bytes = pieces.get(piece);
    int from = (int) (rva - rvas[piece]);
    return Bytes.copyOf(bytes, name()).slice(from, Math.min(most, bytes.length - from));
  }

  @Override
  public int missingFrom(long address, int most) {
    long rva = address - base;
    if (at(rva) >= 0) {
      return 0;
    }
    int next = Search.floor(rvas, rvas.length, rva) + 1;
    long distance = next < rvas.length ? rvas[next] - rva : most;
    // Negative: so far below the image that the difference is no long.
    return distance < 0 ? most : (int) Math.min(most, distance);
  }
}
