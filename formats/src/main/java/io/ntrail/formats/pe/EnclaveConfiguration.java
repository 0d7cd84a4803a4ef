package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of an enclave (IMAGE_ENCLAVE_CONFIG): a DLL that runs where even the system cannot
 * look. The load configuration points to it.
 *
 * <p>Source: ntimage.h, where only the size of the enclave differs between 32 and 64 bits.
 *
 * @param policy {@link #DEBUGGABLE} or 0
 * @param family an identity chosen by its author
 * @param imageId an identity of the program within the family
 * @param imageVersion version number of its author
 * @param securityVersion number that its author raises when a defect is fixed
 * @param size bytes of memory that it needs
 * @param threads number of threads that can be inside at a time
 * @param flags {@link #PRIMARY} or 0
 * @param imports the libraries that it may load
 */
public record EnclaveConfiguration(
    long policy,
    Guid family,
    Guid imageId,
    long imageVersion,
    long securityVersion,
    long size,
    long threads,
    long flags,
    List<Import> imports) {
  /** IMAGE_ENCLAVE_POLICY_DEBUGGABLE. */
  public static final int DEBUGGABLE = 1;

  /** IMAGE_ENCLAVE_FLAG_PRIMARY_IMAGE. */
  public static final int PRIMARY = 1;

  private static final int IMPORT = 80;
  private static final int MOST_IMPORTS = 4096;
  private static final int MOST_CHARS = 4096;

  /**
   * A library that an enclave may load.
   *
   * @param match by what it must be the right one: 0 nothing, 1 unique id, 2 author id, 3 family
   *     id, 4 image id
   * @param minimumSecurityVersion of the library
   * @param id the unique or author id, 32 bytes
   * @param name as written; empty if it cannot be read
   */
  public record Import(
      long match, long minimumSecurityVersion, Bytes id, Guid family, Guid imageId, String name) {}

  /** Reads the configuration of an image; empty if it is not an enclave. */
  public static Optional<EnclaveConfiguration> of(PeImage image) {
    return LoadConfig.of(image)
        .map(config -> config.rva(LoadConfig.Field.ENCLAVE_CONFIGURATION_POINTER))
        .filter(rva -> rva != 0)
        .flatMap(rva -> image.reading("enclave configuration", rva, () -> read(image, rva)));
  }

  private static EnclaveConfiguration read(PeImage image, long rva) {
    int word = image.headers().pointerBytes();
    Bytes config = image.view().bytes(rva, 0x48 + word);
    return new EnclaveConfiguration(
        config.u32(8),
        Guid.read(config, 0x18),
        Guid.read(config, 0x28),
        config.u32(0x38),
        config.u32(0x3C),
        config.pointer(0x40, word),
        config.u32(0x40 + word),
        config.u32(0x44 + word),
        imports(image, config.u32(0x10), config.u32(0xC), config.u32(0x14)));
  }

  private static List<Import> imports(PeImage image, long at, long count, long size) {
    if (at == 0 || count == 0) {
      return List.of();
    }
    long room =
        size < IMPORT
            ? 0
            : Math.min(MOST_IMPORTS, (image.view().stored(at) + size - IMPORT) / size);
    if (room < count) {
      image.gap(
          at,
          -1,
          "enclave configuration",
          count + " imports of " + size + " bytes have room for only " + room);
    }
    List<Import> imports = new ArrayList<>();
    for (long i = 0; i < Math.min(count, room); i++) {
      Bytes row = image.view().window(at + i * size, IMPORT);
      long name = row.u32(72);
      imports.add(
          new Import(
              row.u32(0),
              row.u32(4),
              row.slice(8, 32),
              Guid.read(row, 40),
              Guid.read(row, 56),
              image.reading(
                  "enclave configuration", name, "", () -> image.view().text(name, MOST_CHARS))));
    }
    return List.copyOf(imports);
  }
}
