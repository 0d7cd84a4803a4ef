package io.ntrail.programs.memory;

import io.ntrail.formats.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Several address spaces on top of each other: of each byte, the first that has it counts. So a
 * dump with a few pages goes before the files of the images that it was made of: what a program
 * changed in memory is seen as it was, what the dump left out as in the files. May be used by the
 * threads that may use all layers.
 */
public final class LayeredSpace implements AddressSpace {
  private final String name;
  private final List<AddressSpace> layers;

  /**
   * Puts spaces on top of each other.
   *
   * @param name for messages
   * @param layers the one that counts first comes first
   */
  public LayeredSpace(String name, List<? extends AddressSpace> layers) {
    this.name = name;
    this.layers = List.copyOf(layers);
  }

  @Override
  public String name() {
    return name;
  }

  /**
   * Returns the region of the layer that has the byte, with the borders that it has there: other
   * parts of it may lie under other layers.
   */
  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    Optional<AddressSpace> layer = layerAt(address);
    return layer.isPresent()
        ? layer.get().regionAt(address)
        : layers.stream().flatMap(other -> other.regionAt(address).stream()).findFirst();
  }

  /** Returns the layer that a byte is read from. */
  public Optional<AddressSpace> layerAt(long address) {
    return layers.stream().filter(layer -> layer.readUpTo(address, 1).length() == 1).findFirst();
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    Bytes first = piece(address, most);
    if (first.length() == 0 || first.length() == most) {
      return first;
    }
    List<byte[]> pieces = new ArrayList<>();
    int length = 0;
    Bytes piece = first;
    while (piece.length() > 0) {
      pieces.add(piece.array(0, piece.length()));
      length += piece.length();
      piece = piece(address + length, most - length);
    }
    return pieces.size() == 1 ? first : Bytes.joined(pieces, name);
  }

  /** Returns bytes of one layer, up to where one above it goes on. */
  private Bytes piece(long address, int most) {
    int limit = most;
    for (AddressSpace layer : layers) {
      Bytes bytes = layer.readUpTo(address, limit);
      if (bytes.length() > 0) {
        return bytes;
      }
      limit = layer.missingFrom(address, limit);
    }
    return Bytes.copyOf(new byte[0], name);
  }

  @Override
  public int missingFrom(long address, int most) {
    int missing = most;
    for (AddressSpace layer : layers) {
      missing = layer.missingFrom(address, missing);
    }
    return missing;
  }
}
