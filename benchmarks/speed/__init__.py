"""How fast the library is, beside what people would use instead."""
