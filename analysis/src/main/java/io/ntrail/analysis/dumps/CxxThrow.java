package io.ntrail.analysis.dumps;

import io.ntrail.analysis.stacks.CxxTypeNames;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.handlers.ThrowInfo;
import java.util.List;
import java.util.Optional;

/** Types of thrown C++ objects, from the description that the exception points to. */
final class CxxThrow {
  /** EH_MAGIC_NUMBER1 to 3; the last digit tells the version of the compiler. */
  private static final long MAGIC = 0x1993_0520L;

  private static final long LAST_MAGIC = 0x1993_0522L;

  private CxxThrow() {}

  /**
   * Returns the types as which a thrown object can be caught, its own first.
   *
   * @param parameters of the exception: magic number, object, ThrowInfo, and on 64 bits the base of
   *     the module
   * @return empty if the image is not at hand, or the parameters are of another kind
   */
  static List<String> types(List<Long> parameters, DumpView view) {
    if (parameters.size() < 3 || parameters.get(2) == 0) {
      return List.of();
    }
    long magic = parameters.getFirst();
    if (magic < MAGIC || magic > LAST_MAGIC) {
      return List.of();
    }
    long place = parameters.get(2);
    Optional<DumpedModule> module = view.modules().moduleAt(place);
    Optional<PeImage> image = module.flatMap(DumpedModule::image);
    if (image.isEmpty()) {
      return List.of();
    }
    return ThrowInfo.read(image.get(), place - module.get().base()).types().stream()
        .map(ThrowInfo.Catchable::typeName)
        .filter(name -> !name.isEmpty())
        .map(CxxTypeNames::readable)
        .toList();
  }
}
