// The source of shopd.pdb, from which the start cache learns how PDBs are read:
//   clang-14 --target=x86_64-pc-windows-msvc -O1 -g -gcodeview -fms-extensions -fno-exceptions \
//     -fno-rtti -c shopd.cpp -o shopd.obj
//   lld-link-14 /debug /nodefaultlib /entry:main /subsystem:console /pdbaltpath:shopd.pdb \
//     /out:shopd.exe shopd.obj
namespace shop {

template <typename T>
struct Range {
  T from;
  T to;
  bool contains(T value) const { return value >= from && value < to; }
};

class Stock {
public:
  explicit Stock(int size) : size_(size) {}
  virtual ~Stock() {}
  virtual int count(const char *name) const;
  long long worth(double price, const Range<int> &range) const;

private:
  int size_;
};

static inline int step(int hash, char c) { return hash * 31 + c; }

int Stock::count(const char *name) const {
  int hash = 0;
  for (const char *c = name; *c; c++) {
    hash = step(hash, *c);
  }
  return hash % size_;
}

long long Stock::worth(double price, const Range<int> &range) const {
  long long sum = 0;
  for (int i = 0; i < size_; i++) {
    if (range.contains(i)) {
      sum += static_cast<long long>(price * i);
    }
  }
  return sum;
}

} // namespace shop

void operator delete(void *, unsigned long long) {}

extern "C" int _fltused = 0;

extern "C" int main() {
  shop::Stock stock(7);
  shop::Range<int> range = {1, 5};
  return stock.count("nails") + static_cast<int>(stock.worth(2.5, range));
}
