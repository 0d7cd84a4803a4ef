package io.ntrail.programs.image;

import io.ntrail.formats.pe.Certificates;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The mitigations that an image was built with, each as far as the image shows.
 *
 * @param dynamicBase /DYNAMICBASE: it asks to be loaded anywhere
 * @param relocations whether base relocations exist and were not stripped, so that it can be
 * @param highEntropyVa /HIGHENTROPYVA: anywhere in 64 bits
 * @param nx /NXCOMPAT: it is compatible with data execution prevention
 * @param cfg /guard:cf: requested in the headers and described in the load configuration
 * @param xfg the variant of CFG that checks types
 * @param cet /CETCOMPAT: it is compatible with a shadow stack; null if the debug directory could
 *     not be read
 * @param safeSeh only handlers in a table, or none at all, may run; null where handlers are not
 *     kept on the stack
 * @param gs /GS: there is a security cookie, and it is not marked as unused
 * @param forceIntegrity /INTEGRITYCHECK: only to be loaded with a valid signature
 * @param signed whether a certificate is attached; it is not verified. Null for an image in memory,
 *     which has none, and where the headers name one that cannot be read
 * @param aslrEffective whether its address will really vary: {@code dynamicBase} and {@code
 *     relocations}
 */
public record ImageMitigations(
    boolean dynamicBase,
    boolean relocations,
    boolean highEntropyVa,
    boolean nx,
    boolean cfg,
    boolean xfg,
    @Nullable Boolean cet,
    @Nullable Boolean safeSeh,
    boolean gs,
    boolean forceIntegrity,
    @Nullable Boolean signed,
    boolean aslrEffective) {
  private static final long CFG = LoadConfig.CF_INSTRUMENTED | LoadConfig.CF_FUNCTION_TABLE_PRESENT;

  /** Reads them. */
  public static ImageMitigations of(
      PeImage image, Optional<LoadConfig> config, DebugDirectory debug, Certificates certificates) {
    PeHeaders headers = image.headers();
    boolean dynamicBase = headers.isDll(PeHeaders.DYNAMIC_BASE);
    boolean relocations =
        image.directory(DataDirectory.BASE_RELOCATION).isPresent()
            && image.directory(DataDirectory.BASE_RELOCATION).size() > 0
            && !headers.is(PeHeaders.RELOCS_STRIPPED);
    long guard = config.map(LoadConfig::guardFlags).orElse(0L);
    boolean cfg = headers.isDll(PeHeaders.GUARD_CF) && (guard & CFG) == CFG;
    return new ImageMitigations(
        dynamicBase,
        relocations,
        headers.isDll(PeHeaders.HIGH_ENTROPY_VA),
        headers.isDll(PeHeaders.NX_COMPAT),
        cfg,
        cfg && (guard & LoadConfig.XFG_ENABLED) != 0,
        debug.isExDllCharacteristicsKnown()
            ? (debug.exDllCharacteristics() & DebugDirectory.CET_COMPAT) != 0
            : null,
        headers.machine() == MachineType.I386 ? safeSeh(headers, config) : null,
        config.map(ImageMitigations::hasCookie).orElse(false),
        headers.isDll(PeHeaders.FORCE_INTEGRITY),
        certificates.list().isEmpty() && !certificates.isWhole()
            ? null
            : !certificates.list().isEmpty(),
        dynamicBase && relocations);
  }

  private static boolean safeSeh(PeHeaders headers, Optional<LoadConfig> config) {
    return headers.isDll(PeHeaders.NO_SEH)
        || config.map(c -> c.value(Field.SE_HANDLER_TABLE) != 0).orElse(false);
  }

  private static boolean hasCookie(LoadConfig config) {
    return config.value(Field.SECURITY_COOKIE) != 0
        && (config.guardFlags() & LoadConfig.SECURITY_COOKIE_UNUSED) == 0;
  }
}
