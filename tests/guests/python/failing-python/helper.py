def divide(a: int, b: int) -> float:
    return a / b
