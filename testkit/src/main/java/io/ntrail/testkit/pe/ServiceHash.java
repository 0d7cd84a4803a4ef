package io.ntrail.testkit.pe;

import java.io.IOException;
import java.util.List;

/**
 * The hash of a system service's name in the kernel's table of services.
 *
 * @param name without {@code Nt}
 * @param hash 32 bits
 * @param attested seen in a kernel; else computed with the function that fits the attested one
 */
public record ServiceHash(String name, int hash, boolean attested) {
  /** All known ones. */
  public static List<ServiceHash> all() throws IOException {
    return Tsv.rows("pe/expected/service-name-hash.tsv").stream()
        .map(row ->
            new ServiceHash(
                row.getOrDefault("name", ""),
                Integer.parseUnsignedInt(row.getOrDefault("hash", ""), 16),
                "yes".equals(row.get("attested"))))
        .toList();
  }
}
