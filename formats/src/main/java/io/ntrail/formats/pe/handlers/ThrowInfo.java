package io.ntrail.formats.pe.handlers;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Description of a thrown C++ object: parameter 2 of the exception (code E06D7363h) points to it.
 * In images for x86 its places are addresses, else RVAs.
 *
 * @param rva its RVA
 * @param attributes 1 const, 2 volatile
 * @param destructor RVA, or 0
 * @param forwardCompatible RVA, or 0
 * @param types types that it can be caught as, its own type first
 * @param damage why not all of it could be read
 */
public record ThrowInfo(
    long rva,
    int attributes,
    long destructor,
    long forwardCompatible,
    List<Catchable> types,
    Optional<String> damage) {
  private static final int MOST = 1 << 12;

  /**
   * A type as which it can be caught.
   *
   * @param properties 1 simple, 2 by reference only, 4 with a virtual base
   * @param type RVA of the type descriptor
   * @param typeName its decorated name
   * @param memberOffset mdisp: where the object begins in what was thrown
   * @param baseTable pdisp: where the table of virtual bases lies, -1: none
   * @param baseOffset vdisp: where in that table
   * @param size bytes
   * @param copy RVA of the copy constructor, or 0
   */
  public record Catchable(
      int properties,
      long type,
      String typeName,
      int memberOffset,
      int baseTable,
      int baseOffset,
      long size,
      long copy) {}

  /** Reads the ThrowInfo at an RVA; never fails. */
  public static ThrowInfo read(PeImage image, long rva) {
    List<Catchable> types = new ArrayList<>();
    ImageView view = image.view();
    try {
      int attributes = view.i32(rva);
      long destructor = place(image, rva + 4);
      long forward = place(image, rva + 8);
      String damage = null;
      try {
        damage = types(image, place(image, rva + 12), types);
      } catch (DamagedInput e) {
        damage = e.what();
      }
      return new ThrowInfo(
          rva, attributes, destructor, forward, List.copyOf(types), Optional.ofNullable(damage));
    } catch (DamagedInput e) {
      return new ThrowInfo(rva, 0, 0, 0, List.of(), Optional.of(e.what()));
    }
  }

  private static @Nullable String types(PeImage image, long array, List<Catchable> types) {
    ImageView view = image.view();
    TypeDescriptorNames names = new TypeDescriptorNames(image);
    long count = view.u32(array);
    if (count > MOST) {
      return "it claims " + count + " types";
    }
    for (long i = 0; i < count; i++) {
      long at = place(image, array + 4 + 4 * i);
      long type = place(image, at + 4);
      types.add(
          new Catchable(
              view.i32(at),
              type,
              names.of(type),
              view.i32(at + 8),
              view.i32(at + 12),
              view.i32(at + 16),
              view.u32(at + 20),
              place(image, at + 24)));
    }
    return null;
  }

  private static long place(PeImage image, long at) {
    long stored = image.view().u32(at);
    return image.headers().machine() == MachineType.I386 ? image.rva(stored) : stored;
  }
}
