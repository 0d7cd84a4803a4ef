package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.naming.Images;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.kernelcode.CodeVariant;
import io.ntrail.programs.kernelcode.ImportAddresses;
import io.ntrail.programs.kernelcode.KernelCode;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ImageSpace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Code of images as the kernel left it in memory: that of drivers with the sites that it rewrote
 * when it loaded them, all other as in the files. Safe for use by several threads.
 */
final class DriverCode implements CodeSource {
  /** Modules that forward to others, or that others forward to. */
  private static final List<String> ALWAYS = List.of("ntoskrnl.exe", "hal.dll");

  /** An image at an address. */
  record Place(int file, long base) {}

  private record Variant(Place place, CodeVariant variant) {}

  private final CodeImages images;
  private final LongPredicate isKernel;
  private final Map<Place, CodeVariant> chosen = new HashMap<>();
  private final Map<Variant, DriverSites> made = new HashMap<>();
  private CodeVariant usual = CodeVariant.FILE;

  /** Loads of the kernel's images by their names in small letters, of several the first. */
  private final Map<String, Images.Load> kernel = new HashMap<>();

  DriverCode(CodeImages images, Images loaded, LongPredicate isKernel) {
    this.images = images;
    this.isKernel = isKernel;
    for (Images.Load load : loaded.loads()) {
      if (isKernel.test(load.base())) {
        kernel.putIfAbsent(loaded.files().get(load.file()).name().toLowerCase(Locale.ROOT), load);
      }
    }
  }

  /** Takes a variant for every driver for which no other one is chosen. */
  synchronized void useFor(CodeVariant variant) {
    usual = variant;
  }

  /** Takes a variant for a driver. */
  synchronized void choose(Place place, CodeVariant variant) {
    chosen.put(place, variant);
  }

  synchronized CodeVariant variant(Place place) {
    return chosen.getOrDefault(place, usual);
  }

  String name(Place place) {
    return images.file(place.file).name();
  }

  @Override
  public @Nullable AddressSpace code(int file, long base) {
    Place place = new Place(file, base);
    return code(place, variant(place));
  }

  /** Returns the memory of an image as a variant has it; null if its file is not at hand. */
  @Nullable AddressSpace code(Place place, CodeVariant variant) {
    DriverSites sites = sites(place, variant);
    return sites == null ? images.space(place.file, place.base) : sites.code().space();
  }

  /** Returns the sites of a driver; null for an image that the kernel does not rewrite. */
  synchronized @Nullable DriverSites sites(Place place, CodeVariant variant) {
    ImageSpace image = isKernel.test(place.base) ? images.space(place.file, place.base) : null;
    if (image == null) {
      return null;
    }
    DriverSites sites = made.get(new Variant(place, variant));
    if (sites == null) {
      ImportAddresses targets = targets(image.image());
      KernelCode code = KernelCode.of(image, targets, variant);
      sites = DriverSites.of(code, image, targets);
      made.put(new Variant(place, variant), sites);
    }
    return sites.isEmpty() ? null : sites;
  }

  /** Returns the addresses of what an image imports, as far as those modules are at hand. */
  private ImportAddresses targets(PeImage image) {
    Set<String> names = new TreeSet<>(ALWAYS);
    Imports.of(image)
        .modules()
        .forEach(module -> names.add(module.name().toLowerCase(Locale.ROOT)));
    List<ImageSpace> spaces = new ArrayList<>();
    for (String name : names) {
      Images.Load load = kernel.get(name);
      ImageSpace space = load == null ? null : images.space(load.file(), load.base());
      if (space != null) {
        spaces.add(space);
      }
    }
    return new ImportAddresses(spaces);
  }
}
