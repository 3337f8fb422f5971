namespace Shop.Domain;

/// <summary>Something with an identity.</summary>
public abstract class Entity
{
    protected Entity(int id)
    {
        Id = id;
    }

    public int Id { get; }

    public virtual string Describe() => $"{GetType().Name} {Id}";
}
