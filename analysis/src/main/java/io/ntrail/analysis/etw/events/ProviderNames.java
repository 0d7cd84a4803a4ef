package io.ntrail.analysis.etw.events;

import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Names of providers that their events carry: provider traits of TraceLogging. */
final class ProviderNames {
  /** Class of the records that a merge adds to describe events. */
  static final Guid EVENT_METADATA = Guid.parse("bbccf6c1-6cd1-48c4-80ff-839482e37671");

  private final Map<Guid, String> found = new HashMap<>();

  Optional<String> of(Guid provider) {
    return Optional.ofNullable(found.get(provider));
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
