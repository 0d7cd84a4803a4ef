package io.ntrail.analysis.etw.events;

import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Names of providers: those in the recording itself (provider traits in TraceLogging events,
 * EventMetadata that a merge added), else the few that every recording may have.
 */
final class ProviderNames {
  /** Class of the records that a merge adds to describe events. */
  static final Guid EVENT_METADATA = Guid.parse("bbccf6c1-6cd1-48c4-80ff-839482e37671");

  // @formatter:off
  private static final Map<Guid, String> WELL_KNOWN =
      Map.ofEntries(
          known("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", "Microsoft-Windows-DotNETRuntime"),
          known("a669021c-c450-4609-a035-5af59af4df18", "Microsoft-Windows-DotNETRuntimeRundown"),
          known("763fd754-7086-4dfe-95eb-c01a46faf4ca", "Microsoft-Windows-DotNETRuntimePrivate"),
          known("cc2bcbba-16b6-4cf3-8990-d74c2e8af500", "Microsoft-Windows-DotNETRuntimeStress"),
          known("22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716", "Microsoft-Windows-Kernel-Process"),
          known("dd5ef90a-6398-47a4-ad34-4dcecdef795f", "Microsoft-Windows-HttpService"),
          known("a7975c8f-ac13-49f1-87da-5a984a4ab417", "Microsoft-Windows-WinRM"),
          known("2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5", "System.Threading.Tasks.TplEventSource"),
          known("3b9c9951-3480-4220-9377-9c8e5184f5cd", "KernelRundown"),
          known("6a399ae0-4bc6-4de9-870b-3657f8947e7e", "RTLostEvents"));

  // @formatter:on

  private final Map<Guid, String> found = new HashMap<>();

  private static Map.Entry<Guid, String> known(String guid, String name) {
    return Map.entry(Guid.parse(guid), name);
  }

  Optional<String> of(Guid provider) {
    String name = found.get(provider);
    return Optional.ofNullable(name == null ? WELL_KNOWN.get(provider) : name);
  }

  /** Learns a name from the traits that a TraceLogging event carries. */
  void learnFromTraits(RecordCursor event) {
    for (int item = event.firstItem(); item != 0; item = event.nextItem(item)) {
      if (event.itemType(item) == ExtendedItem.PROV_TRAITS.number() && event.itemLength(item) > 2) {
        int data = event.itemData(item);
        String name = event.bytes().utf8z(data + 2, data + event.itemLength(item));
        if (!name.isEmpty()) {
          found.put(event.provider(), name);
        }
      }
    }
  }

  /** Returns true if a record is one that a merge adds to describe events. */
  static boolean isMetadata(RecordCursor record) {
    return record.kind().isClassic()
        && record.providerLow() == EVENT_METADATA.low()
        && record.providerHigh() == EVENT_METADATA.high();
  }

  /** Returns true if a name for this GUID was learned. */
  boolean tells(long low, long high) {
    return found.containsKey(new Guid(low, high));
  }

  ProviderNames merge(ProviderNames other) {
    other.found.forEach(
        (guid, name) -> found.merge(guid, name, (a, b) -> a.compareTo(b) <= 0 ? a : b));
    return this;
  }
}
