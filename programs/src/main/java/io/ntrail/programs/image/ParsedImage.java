package io.ntrail.programs.image;

import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.Certificates;
import io.ntrail.formats.pe.ClrHeader;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Resources;
import io.ntrail.formats.pe.VersionInfo;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.FunctionTableSummary;
import java.util.Optional;

/** An image with the parts that most answers need, read once. */
public record ParsedImage(
    PeImage image,
    Exports exports,
    Imports imports,
    Optional<LoadConfig> loadConfig,
    DebugDirectory debug,
    Certificates certificates,
    Resources resources,
    Optional<VersionInfo> version,
    Optional<ClrHeader> clr,
    ImageMitigations security,
    FunctionTableSummary functionTable,
    ArmCode arm) {
  /** Reads them; what cannot be read is a gap of the image. */
  public static ParsedImage of(PeImage image) {
    Optional<LoadConfig> config = LoadConfig.of(image);
    // So that every answer has its gaps, whether it names functions or not.
    config.ifPresent(LoadConfig::guardFunctions);
    DebugDirectory debug = DebugDirectory.of(image);
    Certificates certificates = Certificates.of(image);
    Resources resources = Resources.of(image);
    return new ParsedImage(
        image,
        Exports.of(image),
        Imports.of(image),
        config,
        debug,
        certificates,
        resources,
        VersionInfo.of(image, resources),
        ClrHeader.of(image),
        ImageMitigations.of(image, config, debug, certificates),
        FunctionTableSummary.of(image, FunctionTable.of(image)),
        ArmCode.of(image, config));
  }

  /**
   * Returns why nothing is known of how the frames of a function are unwound, whatever function it
   * is; empty where the function table of x64 describes it.
   *
   * @param rva an address in it
   */
  public Optional<String> withoutUnwindData(long rva) {
    int machine = image.headers().machine();
    if (arm.contains(rva)) {
      return Optional.of("unwind data of " + arm.name() + " are not read");
    }
    return switch (machine) {
      case MachineType.AMD64 -> Optional.empty();
      case MachineType.I386 -> Optional.of("x86 images have no function table");
      default -> Optional.of("unwind data of " + MachineType.text(machine) + " are not read");
    };
  }

  /** Returns the identity of the image. */
  public ImageId id() {
    return new ImageId(image.headers().timestamp(), image.headers().sizeOfImage());
  }

  /** Returns the identity of its PDB, if that is a current one. */
  public Optional<PdbId> pdb() {
    return debug
        .codeView()
        .flatMap(view ->
            view instanceof CodeView.Pdb70(var guid, long age, _)
                ? Optional.of(new PdbId(guid, age))
                : Optional.empty());
  }

  /**
   * When it was linked, in seconds since 1970; empty if the stamp is a hash, as in reproducible
   * builds, or missing.
   */
  public Optional<Long> linked() {
    long stamp = image.headers().timestamp();
    return stamp == 0 || stamp == 0xFFFF_FFFFL || debug.has(DebugDirectory.REPRO)
        ? Optional.empty()
        : Optional.of(stamp);
  }
}
