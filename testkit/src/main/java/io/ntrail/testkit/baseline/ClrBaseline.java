package io.ntrail.testkit.baseline;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Peculiarities of the other decoder with events of the .NET runtime besides reading their fields:
 * fields that it names differently, computes, looks up or prints for all versions, and kinds that
 * it keeps for itself.
 */
public final class ClrBaseline {
  /** Start of the names of its runtime providers. */
  public static final String PROVIDERS = "Microsoft-Windows-DotNETRuntime";

  /** Names of the tool that differ from the runtime's: event, its field, our field. */
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "GC/MarkWithType Promoted", "Bytes",
          "Type/BulkType TypeID_0", "Values[0].TypeID",
          "Type/BulkType TypeName_0", "Values[0].Name");

  /** Fields that the tool looks up in other events. */
  private static final Set<String> LOOKED_UP = Set.of("GC/FinalizeObject TypeName");

  /** Fields of one event's other layouts, which the tool prints as empty for all of them. */
  private static final Set<String> OTHER_LAYOUTS =
      Set.of(
          "GC/PerHeapHistory FreeListAllocated",
          "GC/PerHeapHistory FreeListRejected",
          "GC/PerHeapHistory EndOfSegAllocated",
          "GC/PerHeapHistory CondemnedAllocated",
          "GC/PerHeapHistory PinnedAllocated",
          "GC/PerHeapHistory PinnedAllocatedAdvance",
          "GC/PerHeapHistory RunningFreeListEfficiency",
          "GC/PerHeapHistory ConcurrentCompactMechanisms",
          "GC/PerHeapHistory Count",
          "GC/PerHeapHistory MemoryPressure",
          "GC/GlobalHeapHistory PauseMode",
          "GC/GlobalHeapHistory MemoryPressure",
          "GC/GlobalHeapHistory CondemnReasons0",
          "GC/GlobalHeapHistory CondemnReasons1",
          "GC/GlobalHeapHistory Count");

  /** Kinds that the tool uses for itself and does not count. */
  private static final Set<String> CONSUMED =
      Set.of(
          "Microsoft-Windows-DotNETRuntime/ClrStack/Walk",
          "Microsoft-Windows-DotNETRuntime/Method/ILToNativeMap",
          "Microsoft-Windows-DotNETRuntimeRundown/Method/DCStopVerbose",
          "Microsoft-Windows-DotNETRuntimeRundown/Method/ILToNativeMapDCStop");

  private static final int JIT_HELPER = 0x10;

  private ClrBaseline() {}

  /**
   * Returns true if the tool counts an event.
   *
   * @param name {@code Provider/Task/Opcode}
   * @param fields what we decoded
   */
  public static boolean isCounted(String name, Supplier<Map<String, DecodedValue>> fields) {
    if (name.endsWith("DotNETRuntime/Method/LoadVerbose")) {
      // The tool keeps the runtime's own helpers for itself.
      return fields.get().get("MethodFlags") instanceof DecodedValue.Whole flags
          && (flags.value() & JIT_HELPER) == 0;
    }
    return !CONSUMED.contains(name);
  }

  /**
   * Returns true if the tool takes a field of an event ({@code Task/Opcode Field}) from other
   * events.
   */
  public static boolean isLookedUp(String key) {
    return LOOKED_UP.contains(key);
  }

  /**
   * Returns true if a field belongs to another layout of its event: the tool prints it as empty.
   */
  public static boolean isOfOtherLayout(String key) {
    return OTHER_LAYOUTS.contains(key);
  }

  /**
   * Returns the value that the tool prints as a field of an event.
   *
   * @param key {@code Task/Opcode Field}
   * @param name of the field
   * @param fields what we decoded
   * @return null if neither a field is called so nor anything is computed under this name
   */
  public static @Nullable DecodedValue value(
      String key, String name, Map<String, DecodedValue> fields) {
    DecodedValue found = fields.get(OTHER_NAMES.getOrDefault(key, name));
    return found == null ? derived(key, fields) : found;
  }

  /** Returns the value that the tool computes from other fields of the same event. */
  private static @Nullable DecodedValue derived(String key, Map<String, DecodedValue> fields) {
    return switch (key) {
      case "GC/HeapStats TotalHeapSize" -> sum("GenerationSize", fields);
      case "GC/HeapStats TotalPromoted" -> sum("TotalPromotedSize", fields);
      // The oldest generation that something was promoted from.
      case "GC/HeapStats Depth" ->
          new DecodedValue.Whole(isZero(fields.get("TotalPromotedSize1")) ? 0 : 1, 4, null);
      case "Method/LoadVerbose OptimizationTier", "Method/UnloadVerbose OptimizationTier" ->
          fields.get("MethodFlags") instanceof DecodedValue.Whole flags
                  && (flags.value() & 0x380) == 0
              ? new DecodedValue.Text("Unknown")
              : null;
      case "Loader/ModuleLoad ModuleILFileName",
          "Loader/ModuleUnload ModuleILFileName",
          "Loader/ModuleDCStop ModuleILFileName" ->
          fields.get("ModuleILPath") instanceof DecodedValue.Text path
              ? new DecodedValue.Text(path.value().substring(path.value().lastIndexOf('\\') + 1))
              : null;
      default -> null;
    };
  }

  private static boolean isZero(@Nullable DecodedValue decoded) {
    return decoded instanceof DecodedValue.Whole number && number.value() == 0;
  }

  private static DecodedValue sum(String prefix, Map<String, DecodedValue> fields) {
    long sum = 0;
    for (int generation = 0; generation < 5; generation++) {
      if (fields.get(prefix + generation) instanceof DecodedValue.Whole size) {
        sum += size.value();
      }
    }
    return new DecodedValue.Whole(sum, 8, null);
  }
}
