package io.ntrail.cli.harness;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.testkit.pdb.MsfWriter;
import java.util.HexFormat;

/** A PDB that belongs to {@link SampleImage} and says nothing but that. */
public final class SamplePdb {
  private static final long VERSION = 20_000_404;
  private static final int BLOCK = 4096;

  private SamplePdb() {}

  public static byte[] make() {
    byte[] guid = HexFormat.of().parseHex("907a1c5eb2440f4ca1d2b3c4d5e6f708");
    BytesBuilder info =
        new BytesBuilder(64).u32((int) VERSION).u32(0).u32(2).bytes(guid).u32(0).u32(0).u32(1);
    return new MsfWriter(BLOCK)
        .stream(null).stream(info.u32(0).u32(0).u32(0).toArray()).upTo(5).write();
  }
}
